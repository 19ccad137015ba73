package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetNodeSample.aFleetNode;
import static io.sei.operator.testkit.samples.RolloutSample.limits;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.Limits;
import io.sei.operator.fleet.feature.RolloutVerdict;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.samples.FleetNodeSample;
import io.sei.operator.testkit.samples.NodeSample;
import io.sei.operator.testkit.samples.RolloutSample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fleets of all kinds are rolled, and take the order that was forecast. */
class RolloutForecastPropertyTest {

  private static final int STEPS = 1500;

  static IntStream seeds() {
    return Cases.seeds(60, 400);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aRolloutTakesTheOrderThatWasForecast(int seed) {
    var random = new Random(seed);
    List<FleetNode> nodes = fleet(random);
    Limits limits = RolloutSample.anyLimits(random, nodes.size());
    Rollout rollout = new Rollout(FleetNodeSample.NEW, NodeSample.NOW, records(nodes));
    Instant now = NodeSample.NOW;
    Map<String, Integer> waves = RolloutForecast.of(rollout, nodes, limits, now).waves();

    List<String> admitted = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      RolloutVerdict verdict = RolloutPolicy.decide(rollout, nodes, limits, now);
      verdict.admit().forEach(node -> admitted.add(node.name()));
      assertThat(admitted).as("seed %d", seed).isSubsetOf(waves.keySet());
      for (FleetNode node : verdict.admit()) {
        assertThat(admitted).as("seed %d", seed).containsAll(before(waves.get(node.name()), waves));
      }
      rollout = RolloutPlanner.admitted(rollout, verdict.admit(), now);
      nodes = oneArrives(nodes, admitted, random, now);
      now = now.plusSeconds(1);
    }
    assertThat(admitted).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(waves.keySet());
  }

  private static List<String> before(int wave, Map<String, Integer> waves) {
    return waves.entrySet().stream()
        .filter(entry -> entry.getValue() < wave)
        .map(Map.Entry::getKey)
        .toList();
  }

  private static List<FleetNode> fleet(Random random) {
    boolean halted = random.nextInt(4) == 0;
    return IntStream.range(0, 1 + random.nextInt(12))
        .mapToObj(
            ordinal -> {
              boolean ready = !halted && random.nextInt(5) != 0;
              FleetNodeSample node = aFleetNode(ordinal);
              node = ready ? node : node.behind();
              return (random.nextInt(8) == 0 ? node.paused() : node).build();
            })
        .toList();
  }

  private static List<RolloutNode> records(List<FleetNode> nodes) {
    return nodes.stream().map(node -> new RolloutNode(node.name(), null, node.isReady())).toList();
  }

  /** Some node whose turn has come makes a step to the new template, or none does. */
  private static List<FleetNode> oneArrives(
      List<FleetNode> nodes, List<String> admitted, Random random, Instant now) {
    int chosen = random.nextInt(nodes.size());
    FleetNode node = nodes.get(chosen);
    if (!admitted.contains(node.name()) || node.runs(FleetNodeSample.NEW) && node.isReady()) {
      return nodes;
    }
    FleetNode stepped =
        !node.isOn(FleetNodeSample.NEW)
            ? node.withTemplateHash(FleetNodeSample.NEW)
            : !node.runs(FleetNodeSample.NEW)
                ? node.with(builder -> builder.runningHash(FleetNodeSample.NEW).readySince(null))
                : node.withReadySince(now);
    var moved = new ArrayList<>(nodes);
    moved.set(chosen, stepped);
    return List.copyOf(moved);
  }
}
