package io.sei.operator.fleet.rollout;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import io.sei.operator.fleet.model.RolloutVerdict;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The order in which a rollout takes its nodes if all goes well: the policy that acts is asked
 * again and again, and every node whose turn has come gets there before it is asked the next time.
 *
 * @param waves when each node's turn comes, counted from 1; a node whose turn has come and whose
 *     pod is not the new one yet is of the first wave
 * @param stalled the node that holds those without a wave
 * @param blocking other nodes that use up what may be unavailable, if some are without a wave
 */
public record RolloutForecast(
    Map<String, Integer> waves, Optional<FleetNode> stalled, List<FleetNode> blocking) {

  public static RolloutForecast of(
      Rollout begun, List<FleetNode> fleet, Limits limits, Instant beginning) {
    Map<String, Integer> waves = new HashMap<>();
    String target = begun.targetHash();
    Rollout rollout = begun;
    List<FleetNode> nodes = fleet;
    Instant now = beginning;
    Set<String> onTheirWay =
        nodes.stream()
            .filter(node -> isOnItsWay(node, begun))
            .map(FleetNode::name)
            .collect(Collectors.toSet());
    int wave = 0;
    for (boolean first = true; ; first = false) {
      RolloutVerdict verdict = RolloutPolicy.decide(rollout, nodes, limits, now);
      Set<String> turn = new HashSet<>(first ? onTheirWay : Set.of());
      verdict.admit().forEach(node -> turn.add(node.name()));
      if (turn.isEmpty() && !first) {
        return new RolloutForecast(waves, verdict.stalled(), unavailable(nodes, target));
      }
      wave += turn.isEmpty() ? 0 : 1;
      for (String name : turn) {
        waves.put(name, wave);
      }
      rollout = RolloutPlanner.admitted(rollout, verdict.admit(), now);
      nodes = arrived(rollout, nodes, now);
      now = now.plus(limits.minReady());
    }
  }

  /** Its turn has come, but its pod is not known to be the new one yet. */
  private static boolean isOnItsWay(FleetNode node, Rollout rollout) {
    return canArrive(node, rollout) && !node.runs(rollout.targetHash());
  }

  private static List<FleetNode> arrived(Rollout rollout, List<FleetNode> nodes, Instant now) {
    String target = rollout.targetHash();
    return nodes.stream()
        .map(
            node ->
                canArrive(node, rollout)
                    ? node.with(
                        it ->
                            it.templateHash(target)
                                .runningHash(target)
                                .readySince(now)
                                .stall(null)
                                .stalledSince(null))
                    : node)
        .toList();
  }

  /** What stalls on the new template stays stalled, for all that is known. */
  private static boolean canArrive(FleetNode node, Rollout rollout) {
    boolean given = node.isOn(rollout.targetHash());
    boolean admitted = rollout.node(node.name()).map(Rollout.RolloutNode::admittedAt).isPresent();
    return !node.paused() && !node.terminating() && (given ? node.stall() == null : admitted);
  }

  private static List<FleetNode> unavailable(List<FleetNode> nodes, String target) {
    return nodes.stream()
        .filter(node -> !node.paused() && !node.isReady() && !node.isOn(target))
        .toList();
  }
}
