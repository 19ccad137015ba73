package io.sei.operator.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.OperatorJar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What rollouts cost against what is committed, one node at a time and fifty at once, by other pods
 * and in place. With {@code -Dgolden.update=true} it commits what it measures.
 */
@Tag("long")
@Isolated
class RolloutCostTest {

  private static final int RUNS = 3;

  @Test
  void requestsAndReconcilesAreNotAQuarterAboveTheCommitted() throws IOException {
    var table = new Table();
    try (var world = new World(Bench.MANY)) {
      world.startOperator(command(), Map.of("SEI_LEADER_ELECTION", "false"));
      for (boolean inPlace : List.of(false, true)) {
        var rollouts = new Rollouts(world, table, inPlace);
        rollouts.cost(RUNS, 1);
        rollouts.cost(RUNS, Bench.MANY);
      }
    }
    table.print(System.out);
    // What a busy machine adds is not in every run; what a change of the operator adds is.
    RolloutCounts counts = table.least(Rollouts.EACH);
    if (Boolean.getBoolean("golden.update")) {
      counts.commit();
    }

    assertThat(counts.above(RolloutCounts.committed()))
        .as("counts more than 25 %% above %s", RolloutCounts.FILE)
        .isEmpty();
  }

  /** The jar as it is built: counts do not depend on how fast Java starts. */
  private static List<String> command() {
    var command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(OperatorJar.JVM_FLAGS);
    command.addAll(List.of("-jar", OperatorJar.FILE.toString()));
    return command;
  }
}
