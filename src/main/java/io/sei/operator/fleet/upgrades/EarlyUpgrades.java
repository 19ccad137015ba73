package io.sei.operator.fleet.upgrades;

import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.disruption.Disruption;
import io.sei.operator.fleet.disruption.Disruptions;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetView;
import io.sei.operator.fleet.model.FleetView.Child;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: which nodes may run the image of a minor release before its height. A node does so by
 * itself once its own spec says {@code early}, so that word in a node's spec is its admission: it
 * is given within {@code maxUnavailable}, highest ordinal first, for one entry at a time, and taken
 * back from nodes that have not switched when rollouts are paused, one begins, or the image turned
 * out to be too early.
 */
public final class EarlyUpgrades {

  private final List<Upgrade> early;
  private final Optional<Upgrade> current;
  private final Set<Integer> kept;
  private final List<FleetNode> next;
  private final Optional<Duration> recheck;

  private EarlyUpgrades(FleetView view) {
    this.early = early(view);
    this.current = current(view, early);
    boolean stopped = current.filter(entry -> isStopped(view, entry)).isPresent();
    this.kept = current.map(entry -> kept(view, entry, stopped)).orElse(Set.of());
    this.next = current.isEmpty() || stopped ? List.of() : next(view, kept);
    this.recheck = current.flatMap(entry -> recheck(view));
  }

  private static List<Upgrade> early(FleetView view) {
    return Stream.ofNullable(view.template().spec().upgrades())
        .flatMap(List::stream)
        .filter(Upgrade::runsEarly)
        .sorted(Comparator.comparing(Upgrade::height))
        .toList();
  }

  private static Optional<Upgrade> current(FleetView view, List<Upgrade> early) {
    return early.stream()
        .filter(entry -> view.wanted().anyMatch(child -> isOpen(child.node(), entry)))
        .findFirst();
  }

  /** Nodes that are admitted now. */
  List<FleetNode> next() {
    return next;
  }

  /** A node that is paused or held gets the entry once it is neither, and holds no later one. */
  private static boolean isOpen(SeiNode node, Upgrade entry) {
    return !has(node, entry, applied()) && (!isSuspended(node) || isAdmitted(node, entry));
  }

  private static boolean isSuspended(SeiNode node) {
    return Boolean.TRUE.equals(node.getSpec().paused()) || node.getSpec().holding().isPresent();
  }

  private static Optional<Duration> recheck(FleetView view) {
    return view.fleet().stream()
        .filter(FleetNode::isReady)
        .map(node -> view.limits().confirmedAt(node, view.now()))
        .filter(moment -> moment.isAfter(view.now()))
        .min(Comparator.naturalOrder())
        .map(moment -> Duration.between(view.now(), moment));
  }

  /** When time alone lets another node switch; empty if it does not. */
  public Optional<Duration> recheck() {
    return recheck;
  }

  /** Decides. */
  public static EarlyUpgrades of(FleetView view) {
    return new EarlyUpgrades(view);
  }

  /** The template as the node with an ordinal is to have it. */
  public NodeTemplate given(NodeTemplate template, int ordinal) {
    return early.isEmpty() || template.spec().upgrades() == null
        ? template
        : template.withSpec(
            template
                .spec()
                .withUpgrades(
                    template.spec().upgrades().stream().map(it -> given(it, ordinal)).toList()));
  }

  private Upgrade given(Upgrade entry, int ordinal) {
    boolean everywhere = current.filter(it -> entry.height() >= it.height()).isEmpty();
    boolean here =
        current.filter(it -> it.name().equals(entry.name())).isPresent() && isAdmitted(ordinal);
    return !entry.runsEarly() || everywhere || here
        ? entry
        : new Upgrade(entry.name(), entry.height(), entry.image(), null);
  }

  /** Nodes that were admitted before, without those from which that is taken back. */
  private static Set<Integer> kept(FleetView view, Upgrade entry, boolean stopped) {
    return view.wanted()
        .filter(child -> isAdmitted(child.node(), entry))
        .filter(child -> !stopped || has(child.node(), entry, applied()))
        .map(Child::ordinal)
        .collect(Collectors.toSet());
  }

  private static boolean isStopped(FleetView view, Upgrade entry) {
    return view.pausesRollouts()
        || Disruptions.of(view).isMakingProgress(Disruption.ROLLOUT)
        || Boolean.TRUE.equals(view.template().spec().upgradesPaused())
        || view.wanted().anyMatch(child -> has(child.node(), entry, UpgradeStatus::isWithdrawn));
  }

  private static List<FleetNode> next(FleetView view, Set<Integer> kept) {
    List<FleetNode> candidates =
        view.fleet().stream()
            .filter(node -> !kept.contains(node.ordinal()))
            .filter(node -> node.ordinal() >= view.limits().partition())
            .filter(node -> node.isReady() && node.upToDate() && !node.paused() && !node.atRisk())
            .sorted(Comparator.comparingInt(FleetNode::ordinal).reversed())
            .toList();
    return Disruptions.of(view).admit(Disruption.EARLY_UPGRADE, candidates);
  }

  /** Nodes that were admitted to the current entry and are not confirmed Ready with it. */
  static List<FleetNode> inFlight(FleetView view) {
    Optional<Upgrade> current = current(view, early(view));
    return current.isEmpty()
        ? List.of()
        : view.fleet().stream().filter(node -> isInFlight(view, node, current.get())).toList();
  }

  private static boolean isInFlight(FleetView view, FleetNode node, Upgrade entry) {
    SeiNode child = view.child(node.ordinal()).orElseThrow();
    boolean isDone =
        has(child, entry, applied())
            && node.upToDate()
            && view.limits().isConfirmed(node, view.now());
    return isAdmitted(child, entry) && !isDone;
  }

  private boolean isAdmitted(int ordinal) {
    return kept.contains(ordinal) || next.stream().anyMatch(node -> node.ordinal() == ordinal);
  }

  private static boolean isAdmitted(SeiNode node, Upgrade entry) {
    return Stream.ofNullable(node.getSpec().upgrades())
        .flatMap(List::stream)
        .anyMatch(it -> it.runsEarly() && it.name().equals(entry.name()));
  }

  private static Predicate<UpgradeStatus> applied() {
    return UpgradeStatus::isApplied;
  }

  private static boolean has(SeiNode node, Upgrade entry, Predicate<UpgradeStatus> state) {
    return Optional.ofNullable(node.getStatus()).map(SeiNodeStatus::upgrades).stream()
        .flatMap(List::stream)
        .anyMatch(it -> it.name().equals(entry.name()) && state.test(it));
  }
}
