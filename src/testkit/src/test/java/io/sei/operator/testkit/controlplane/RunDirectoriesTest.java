package io.sei.operator.testkit.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoriesTest {

  /** In a container, shared memory is often there and too small. */
  @Test
  void directoryIsUsedIfItHasRoom(@TempDir Path directory) throws IOException {
    assertThat(RunDirectories.hasRoom(directory, 1)).isTrue();
    assertThat(RunDirectories.hasRoom(directory, Long.MAX_VALUE)).isFalse();
    assertThat(RunDirectories.hasRoom(directory.resolve("missing"), 1)).isFalse();
  }
}
