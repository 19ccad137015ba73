package io.sei.operator.fleet.rollout;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a status says of a rollout, corrected by what is known of its nodes. A status can be edited
 * by hand or come from a backup; whatever it says, no more healthy nodes are taken than allowed.
 *
 * <p>A turn is withdrawn only where the nodes show more of them than the limits allow. For an
 * honest record that is so when the limits were lowered, when another node broke after the turn was
 * given, or when the nodes are read from a cache that lags behind. In each case the node is not on
 * the target and runs what it was given as far as is known, so the worst is that its turn comes
 * later: a node whose spec was written after all is on the target, and that counts as its turn.
 */
final class RolloutRecord {

  private final String target;
  private final List<FleetNode> fleet;
  private final Limits limits;
  private final Instant now;
  private final Map<String, RolloutNode> nodes = new LinkedHashMap<>();

  private RolloutRecord(Rollout stored, List<FleetNode> fleet, Limits limits, Instant now) {
    this.target = stored.targetHash();
    this.fleet = fleet.stream().filter(node -> !node.terminating()).toList();
    this.limits = limits;
    this.now = now;
    if (stored.nodes() != null) {
      stored.nodes().forEach(this::read);
    }
  }

  /** The rollout as it can be; null if there is none, or one that leads nowhere. */
  static Rollout corrected(Rollout stored, List<FleetNode> fleet, Limits limits, Instant now) {
    if (stored == null || stored.targetHash() == null) {
      return null;
    }
    var record = new RolloutRecord(stored, fleet, limits, now);
    record.recognizeHealthy();
    Instant startedAt = stored.startedAt() == null ? now : record.past(stored.startedAt());
    Rollout read = new Rollout(record.target, startedAt, record.list());
    return record.withoutExcess(read);
  }

  /** Of a node that is not there now as well: it is made again as its record says. */
  private void read(RolloutNode node) {
    if (node != null && node.name() != null) {
      nodes.putIfAbsent(
          node.name(),
          new RolloutNode(
              node.name(), past(node.admittedAt()), Boolean.TRUE.equals(node.wasAvailable())));
    }
  }

  private Instant past(Instant moment) {
    return moment != null && moment.isAfter(now) ? now : moment;
  }

  /** A node that is Ready and has its way to the target before it is yet to be made unavailable. */
  private void recognizeHealthy() {
    for (FleetNode node : fleet) {
      if (node.isReady() && !node.runs(target)) {
        Instant admittedAt = node.isOn(target) ? now : null;
        RolloutNode known =
            nodes.getOrDefault(node.name(), new RolloutNode(node.name(), admittedAt, true));
        nodes.put(node.name(), known.withWasAvailable(true));
      }
    }
  }

  private Rollout withoutExcess(Rollout read) {
    Rollout rollout =
        without(
            read, turnsToTake(read).filter(node -> node.ordinal() < limits.partition()).toList());
    long excess = RolloutPolicy.unavailable(rollout, fleet, limits, now) - limits.maxUnavailable();
    // What is not Ready, or about to be replaced for another template, is not taken down by its
    // turn, so withdrawing that would free nothing.
    return without(
        rollout,
        turnsToTake(rollout)
            .filter(node -> node.isReady() && !node.paused() && !node.isOnItsWay())
            .sorted(lastAdmittedFirst(rollout))
            .limit(Math.max(0, excess))
            .toList());
  }

  /** Nodes whose turn is said to have come and whose spec nobody has written. */
  private Stream<FleetNode> turnsToTake(Rollout rollout) {
    return fleet.stream()
        .filter(node -> !node.isOn(target))
        .filter(node -> rollout.node(node.name()).map(RolloutNode::admittedAt).isPresent());
  }

  private static Comparator<FleetNode> lastAdmittedFirst(Rollout rollout) {
    return Comparator.comparing(
            (FleetNode node) -> rollout.node(node.name()).orElseThrow().admittedAt())
        .reversed()
        .thenComparing(FleetNode::ordinal);
  }

  private static Rollout without(Rollout rollout, List<FleetNode> turns) {
    if (turns.isEmpty()) {
      return rollout;
    }
    Set<String> names = turns.stream().map(FleetNode::name).collect(Collectors.toSet());
    return rollout.withNodes(
        rollout.nodes().stream()
            .map(node -> names.contains(node.name()) ? node.withAdmittedAt(null) : node)
            .toList());
  }

  /** An empty list is not told from none by what is stored. */
  private List<RolloutNode> list() {
    return nodes.isEmpty() ? null : List.copyOf(nodes.values());
  }
}
