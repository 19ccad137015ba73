package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** PageCommandsOnMachineTest types the commands, which takes a machine. */
class PageCommandsTest {

  @Test
  void everyCommandOfThePagesReadsOrCanBeADryRun() {
    assertThat(PageCommands.all(Map.of(), "default")).hasSizeGreaterThan(100);
  }
}
