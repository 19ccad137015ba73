package io.sei.operator.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.OperatorJar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Compares the cost of rollouts with the committed one: one node at a time and fifty at once, by
 * new pods and in place, and by new pods for as many nodes as {@code -Dcounts.nodes="300"} asks
 * for. With {@code -Dgolden.update=true} it commits what it measures.
 */
@Tag("long")
@Isolated
class RolloutCostTest {

  private static final int RUNS = 3;

  /** A rollout of hundreds counts each of them: one run is enough. */
  private static final List<Integer> MORE =
      Pattern.compile(" ")
          .splitAsStream(System.getProperty("counts.nodes", ""))
          .filter(text -> !text.isEmpty())
          .map(Integer::valueOf)
          .toList();

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
      for (int nodes : MORE) {
        new Rollouts(world, table, false).cost(1, nodes);
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
    command.addAll(OperatorJar.jvmFlags());
    if (!MORE.isEmpty()) {
      // As with the limit that the page on installing has for a thousand nodes.
      command.add("-Xmx205m");
    }
    command.addAll(List.of("-jar", OperatorJar.FILE.toString()));
    return command;
  }
}
