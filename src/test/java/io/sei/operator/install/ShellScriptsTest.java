package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.DebianTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A shell script says nothing of a mistake until the day it matters. */
class ShellScriptsTest {

  private static final List<Path> DIRECTORIES = List.of(Path.of(".ci"), Path.of("hack"));

  static List<Path> scripts() throws IOException {
    Stream<Path> all = Stream.of();
    for (Path directory : DIRECTORIES) {
      try (Stream<Path> files = Files.walk(directory)) {
        all = Stream.concat(all, files.filter(Files::isExecutable).toList().stream());
      }
    }
    return all.filter(Files::isRegularFile).toList();
  }

  @Test
  void everyScriptIsFound() throws IOException {
    assertThat(scripts()).contains(Path.of(".ci/run"), Path.of("hack/debian-tool.sh"));
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void shellcheckFindsNothing(Path script) {
    DebianTool.Run run =
        DebianTool.SHELLCHECK.run(Path.of("").toAbsolutePath(), "-x", script.toString());

    assertThat(run.exitCode()).as(run.output()).isZero();
  }
}
