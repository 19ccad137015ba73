package io.sei.operator.fleet.configuration;

import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.FleetSnapshot.Child;
import io.sei.operator.render.NodeConfiguration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * PURE: which nodes are given a configuration that changed while their template did not. It
 * restarts nothing, so no budget applies; but a sidecar may refuse it. So one node is given it
 * after the other, and the next only once the one before has applied it: what is refused stops at
 * the first node. A node that is down for a cause of its own is not waited for, and neither is one
 * that somebody keeps out of service. Together with a new template it is part of the rollout.
 */
public final class ConfigurationOrder {

  private static final Set<StallReason> REFUSALS =
      Set.of(StallReason.SIDECAR_TASK_FAILED, StallReason.SIDECAR_UNSUPPORTED);

  private final FleetSnapshot snapshot;
  private final NodeConfiguration wanted;
  private final String hash;
  private final FleetConfiguration record;

  private ConfigurationOrder(FleetSnapshot snapshot) {
    this.snapshot = snapshot;
    this.wanted = NodeConfiguration.of(snapshot.template().spec());
    this.hash = wanted.digest();
    this.record = snapshot.status().configuration();
  }

  /** Decides. */
  public static ConfigurationOrder of(FleetSnapshot snapshot) {
    return new ConfigurationOrder(snapshot);
  }

  /** The template as the node with an ordinal is to have it: until its turn with what it has. */
  public NodeTemplate given(NodeTemplate template, int ordinal) {
    return template.equals(snapshot.template())
        ? waitingChildren()
            .filter(child -> child.ordinal() == ordinal)
            .findFirst()
            .map(child -> NodeConfiguration.of(child.node().getSpec()).in(template.spec()))
            .map(template::withSpec)
            .orElse(template)
        : template;
  }

  /** Which nodes wait for their turn, and for which one; empty if none does. */
  public Optional<String> progress() {
    List<String> waiting =
        waitingChildren().filter(child -> !has(child)).map(ConfigurationOrder::name).toList();
    String inTheWay =
        snapshot
            .wanted()
            .filter(child -> isGiven(name(child)) && isWaitedFor(child))
            .findFirst()
            .map(Child::view)
            .map(
                node ->
                    node.stall() == null
                        ? "; %s applies it".formatted(node.name())
                        : "; on hold: %s: %s".formatted(node.name(), node.stallMessage()))
            .orElse("");
    return waiting.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "a changed configuration is given to one node after the other; waiting: %s%s"
                .formatted(String.join(", ", waiting), inTheWay));
  }

  /**
   * The record to be persisted before the next node is given the configuration. Of use only where
   * every node's spec is known to be as the record says. A fleet without a record is of an earlier
   * build, which gave every node everything at once.
   */
  public FleetConfiguration next() {
    if (record == null || (isCurrent() && record.nodes() == null)) {
      return new FleetConfiguration(hash, null);
    }
    Set<String> given = new TreeSet<>(isCurrent() ? record.nodes() : List.of());
    waitingChildren().filter(this::has).map(ConfigurationOrder::name).forEach(given::add);
    List<Child> open =
        waitingChildren().filter(child -> !given.contains(name(child))).sorted(turn()).toList();
    boolean isStopped =
        snapshot
            .wanted()
            .filter(child -> given.contains(name(child)))
            .anyMatch(ConfigurationOrder::isWaitedFor);
    if (!isStopped) {
      open.stream().limit(1).map(ConfigurationOrder::name).forEach(given::add);
      // Nothing runs that could refuse it.
      open.stream()
          .filter(child -> child.view().paused())
          .map(ConfigurationOrder::name)
          .forEach(given::add);
    }
    boolean all = open.stream().map(ConfigurationOrder::name).allMatch(given::contains);
    return new FleetConfiguration(hash, all ? null : List.copyOf(given));
  }

  /** Nodes of the template in force that were not given the configuration. */
  private Stream<Child> waitingChildren() {
    return snapshot
        .wanted()
        .filter(child -> !child.node().isMarkedForDeletion())
        .filter(child -> child.view().isOn(snapshot.templateHash()))
        .filter(child -> !isGiven(name(child)));
  }

  private boolean isGiven(String node) {
    return record == null
        || (isCurrent() && (record.nodes() == null || record.nodes().contains(node)));
  }

  private boolean isCurrent() {
    return hash.equals(record.hash());
  }

  /** A node that is made meanwhile, or rolled, has it from the beginning. */
  private boolean has(Child child) {
    return NodeConfiguration.of(child.node().getSpec()).equals(wanted);
  }

  /** Nodes that have trouble first, as it may be what helps them; then the highest ordinal. */
  private static Comparator<Child> turn() {
    return Comparator.comparing((Child child) -> child.view().paused())
        .thenComparing(child -> child.view().upToDate())
        .thenComparing(Child::ordinal, Comparator.reverseOrder());
  }

  /** Whether a node has yet to show that its sidecar takes what it was given. */
  private static boolean isWaitedFor(Child child) {
    FleetNode node = child.view();
    if (node.upToDate()
        || node.paused()
        || node.terminating()
        || node.phase() != NodePhase.RUNNING) {
      return false;
    }
    boolean isBusy =
        node.isReady() || Optional.ofNullable(child.node().getStatus().plan()).isPresent();
    return !isObserved(child.node())
        || REFUSALS.stream().anyMatch(it -> it.is(node.stall()))
        || (node.stall() == null && isBusy);
  }

  private static boolean isObserved(SeiNode node) {
    return Objects.equals(
        node.getStatus().observedGeneration(), node.getMetadata().getGeneration());
  }

  private static String name(Child child) {
    return child.node().getMetadata().getName();
  }
}
