package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.Limits;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Status of a rollout, corrected by what is known of its nodes. A status can be edited by hand or
 * come from a backup; whatever it contains, no more healthy nodes are taken down than allowed.
 *
 * <p>An admission is withdrawn only where the nodes show more of them than the limits allow. For an
 * honest record that is so when the limits were lowered, when another node broke after the
 * admission, or when the nodes are read from a cache that lags behind. In each case the node is not
 * on the target and runs its previous template as far as is known, so that at worst it is admitted
 * later: a node whose spec was written after all is on the target, and that counts as admitted.
 */
final class RolloutRecord {

  private RolloutRecord() {}

  /** The rollout as it can be; null if there is none, or one without a target. */
  static Rollout corrected(Rollout stored, List<FleetNode> fleet, Limits limits, Instant now) {
    if (stored == null || stored.targetHash() == null) {
      return null;
    }
    List<FleetNode> present = fleet.stream().filter(node -> !node.terminating()).toList();
    Rollout rollout = withAvailable(readable(stored, now), present, now);
    List<FleetNode> belowPartition =
        revocable(rollout, present).filter(node -> node.ordinal() < limits.partition()).toList();
    Rollout inRange = withdrawn(rollout, belowPartition);
    int excess = new RolloutPolicy(inRange, present, limits, now).availability().excess();
    List<FleetNode> last =
        revocable(inRange, present)
            .filter(RolloutRecord::isServing)
            .sorted(lastAdmittedFirst(inRange))
            .limit(Math.max(0, excess))
            .toList();
    return withStalls(withdrawn(inRange, last), present, limits, now);
  }

  /**
   * Records which nodes stalled on the target, since a node no longer reports it once it is paused
   * or held.
   */
  private static Rollout withStalls(
      Rollout rollout, List<FleetNode> fleet, Limits limits, Instant now) {
    Map<String, RolloutNode> nodes = new LinkedHashMap<>();
    Stream.ofNullable(rollout.nodes())
        .flatMap(List::stream)
        .forEach(node -> nodes.put(node.name(), node.withStalledOn(null)));
    var policy = new RolloutPolicy(rollout, fleet, limits, now);
    for (FleetNode node : fleet) {
      RolloutNode known =
          nodes.getOrDefault(node.name(), new RolloutNode(node.name(), null, false));
      policy.stalledOn(node).ifPresent(cause -> nodes.put(node.name(), known.withStalledOn(cause)));
    }
    return rollout.withNodes(nodes.isEmpty() ? null : List.copyOf(nodes.values()));
  }

  /** Without what is no record, and with no moment later than now. */
  private static Rollout readable(Rollout stored, Instant now) {
    Map<String, RolloutNode> nodes = new LinkedHashMap<>();
    for (RolloutNode node : stored.nodes() == null ? List.<RolloutNode>of() : stored.nodes()) {
      // Also of a node that is gone: it is recreated as its record says.
      if (node != null && node.name() != null) {
        boolean available = Boolean.TRUE.equals(node.wasAvailable());
        nodes.putIfAbsent(
            node.name(),
            node.with(
                builder ->
                    builder.admittedAt(past(node.admittedAt(), now)).wasAvailable(available)));
      }
    }
    Instant startedAt = stored.startedAt() == null ? now : past(stored.startedAt(), now);
    return new Rollout(stored.targetHash(), startedAt, List.copyOf(nodes.values()));
  }

  private static Instant past(Instant moment, Instant now) {
    return moment != null && moment.isAfter(now) ? now : moment;
  }

  /**
   * Records as available every node that is Ready and does not run the target yet, or is down only
   * for a snapshot.
   */
  private static Rollout withAvailable(Rollout rollout, List<FleetNode> fleet, Instant now) {
    Map<String, RolloutNode> nodes = new LinkedHashMap<>();
    rollout.nodes().forEach(node -> nodes.put(node.name(), node));
    for (FleetNode node : fleet) {
      if (node.snapshotting() || (node.isReady() && !node.runs(rollout.targetHash()))) {
        Instant admittedAt = node.isOn(rollout.targetHash()) ? now : null;
        nodes.putIfAbsent(node.name(), new RolloutNode(node.name(), admittedAt, true));
        nodes.computeIfPresent(node.name(), (name, known) -> known.withWasAvailable(true));
      }
    }
    // Stored, an empty list looks the same as none.
    return rollout.withNodes(nodes.isEmpty() ? null : List.copyOf(nodes.values()));
  }

  /** Nodes that are recorded as admitted and whose spec was not written yet. */
  private static Stream<FleetNode> revocable(Rollout rollout, List<FleetNode> fleet) {
    return fleet.stream()
        .filter(node -> !node.isOn(rollout.targetHash()) && rollout.isAdmitted(node.name()));
  }

  /**
   * A node that is not Ready, or is about to be replaced for another template, is not taken down by
   * an admission, so that withdrawing it would free nothing.
   */
  private static boolean isServing(FleetNode node) {
    return node.isReady() && !node.pausedOrHeld() && !node.isRestarting();
  }

  private static Comparator<FleetNode> lastAdmittedFirst(Rollout rollout) {
    return Comparator.comparing(
            (FleetNode node) -> rollout.node(node.name()).orElseThrow().admittedAt())
        .reversed()
        .thenComparing(FleetNode::ordinal);
  }

  private static Rollout withdrawn(Rollout rollout, List<FleetNode> admissions) {
    if (admissions.isEmpty()) {
      return rollout;
    }
    Set<String> names = admissions.stream().map(FleetNode::name).collect(Collectors.toSet());
    return rollout.withNodes(
        rollout.nodes().stream()
            .map(
                node ->
                    names.contains(node.name())
                        ? node.with(builder -> builder.admittedAt(null).cause(null))
                        : node)
            .toList());
  }
}
