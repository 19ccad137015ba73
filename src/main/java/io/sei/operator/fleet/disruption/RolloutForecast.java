package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.Limits;
import io.sei.operator.fleet.feature.RolloutVerdict;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The order in which a rollout takes its nodes if all goes well: the policy is asked again and
 * again, and every admitted node is done before it is asked the next time.
 *
 * @param waves when each node restarts, counted from 1; a node that is admitted and whose pod is
 *     not the new one yet is of the first wave
 * @param stalled the node that holds those without a wave
 * @param blocking other nodes that use up what may be unavailable, if some are without a wave
 */
public record RolloutForecast(
    Map<String, Integer> waves, Optional<FleetNode> stalled, List<FleetNode> blocking) {

  /** The forecast for a rollout as far as it is at {@code beginning}. */
  public static RolloutForecast of(
      Rollout begun, List<FleetNode> fleet, Limits limits, Instant beginning) {
    String target = begun.targetHash();
    Map<String, Integer> waves = new HashMap<>();
    Rollout rollout = begun;
    List<FleetNode> nodes = fleet;
    Instant now = beginning;
    RolloutVerdict verdict = RolloutPolicy.decide(rollout, nodes, limits, now);
    List<FleetNode> wave =
        Stream.concat(
                fleet.stream().filter(node -> canFinish(node, begun) && !node.runs(target)),
                verdict.admit().stream())
            .toList();
    int number = 0;
    do {
      number += wave.isEmpty() ? 0 : 1;
      for (FleetNode node : wave) {
        waves.put(node.name(), number);
      }
      rollout = RolloutPlanner.admitted(rollout, verdict.admit(), now);
      nodes = finished(rollout, nodes, now);
      now = now.plus(limits.longestMinReady());
      verdict = RolloutPolicy.decide(rollout, nodes, limits, now);
      wave = verdict.admit();
    } while (!wave.isEmpty());
    List<FleetNode> unavailable = nodes.stream().filter(FleetNode::isDown).toList();
    return new RolloutForecast(waves, verdict.stalled(), unavailable);
  }

  /** The nodes once all that are admitted are done. */
  private static List<FleetNode> finished(Rollout rollout, List<FleetNode> nodes, Instant now) {
    String target = rollout.targetHash();
    return nodes.stream()
        .map(
            node ->
                canFinish(node, rollout)
                    ? node.readyAs(now).withTemplateHash(target).withRunningHash(target)
                    : node)
        .toList();
  }

  /** Admitted, and not stalled on the new template, as that stays so for all that is known. */
  private static boolean canFinish(FleetNode node, Rollout rollout) {
    boolean admitted =
        node.isOn(rollout.targetHash())
            ? node.stall() == null && node.crashedAt() == null
            : rollout.isAdmitted(node.name());
    return admitted && !node.pausedOrHeld() && !node.terminating() && !node.atRisk();
  }
}
