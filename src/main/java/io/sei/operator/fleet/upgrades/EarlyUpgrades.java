package io.sei.operator.fleet.upgrades;

import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.disruption.Availability;
import io.sei.operator.disruption.Disruption;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetView;
import io.sei.operator.fleet.model.FleetView.Child;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
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
  private final Set<Integer> admitted;
  private final Optional<Duration> recheck;

  private EarlyUpgrades(FleetView view) {
    this.early =
        Stream.ofNullable(view.template().spec().upgrades())
            .flatMap(List::stream)
            .filter(Upgrade::runsEarly)
            .sorted(Comparator.comparing(Upgrade::height))
            .toList();
    this.current =
        early.stream()
            .filter(entry -> view.wanted().anyMatch(child -> isOpen(child, entry)))
            .findFirst();
    this.admitted = current.map(entry -> admitted(view, entry)).orElse(Set.of());
    this.recheck = current.flatMap(entry -> recheck(view));
  }

  /** A node that is paused or held gets the entry once it is neither, and holds no later one. */
  private static boolean isOpen(Child child, Upgrade entry) {
    return !has(child, entry, applied())
        && (!isSuspended(child.node()) || isAdmitted(child.node(), entry));
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
        current.filter(it -> it.name().equals(entry.name())).isPresent()
            && admitted.contains(ordinal);
    return !entry.runsEarly() || everywhere || here
        ? entry
        : new Upgrade(entry.name(), entry.height(), entry.image(), null);
  }

  private static Set<Integer> admitted(FleetView view, Upgrade entry) {
    boolean stopped =
        view.pausesRollouts()
            || view.stored().rollout() != null
            || Boolean.TRUE.equals(view.template().spec().upgradesPaused())
            || view.wanted().anyMatch(child -> has(child, entry, UpgradeStatus::isWithdrawn));
    Set<Integer> before =
        view.wanted()
            .filter(child -> isAdmitted(child.node(), entry))
            .filter(child -> !stopped || has(child, entry, applied()))
            .map(Child::ordinal)
            .collect(Collectors.toCollection(HashSet::new));
    if (!stopped) {
      before.addAll(next(view, before));
    }
    return Set.copyOf(before);
  }

  private static List<Integer> next(FleetView view, Set<Integer> before) {
    List<FleetNode> fleet = view.fleet();
    Availability availability =
        FleetNode.availability(
            Disruption.OPTIONAL,
            fleet,
            node ->
                node.switching() || node.isReady() && !view.limits().isConfirmed(node, view.now()));
    return fleet.stream()
        .filter(node -> !before.contains(node.ordinal()))
        .filter(node -> node.ordinal() >= view.limits().partition())
        .filter(node -> node.isReady() && node.upToDate() && !node.paused() && !node.atRisk())
        .sorted(Comparator.comparingInt(FleetNode::ordinal).reversed())
        .limit(availability.room(view.limits().maxUnavailable()))
        .map(FleetNode::ordinal)
        .toList();
  }

  private static boolean isAdmitted(SeiNode node, Upgrade entry) {
    return Stream.ofNullable(node.getSpec().upgrades())
        .flatMap(List::stream)
        .anyMatch(it -> it.runsEarly() && it.name().equals(entry.name()));
  }

  private static Predicate<UpgradeStatus> applied() {
    return UpgradeStatus::isApplied;
  }

  private static boolean has(Child child, Upgrade entry, Predicate<UpgradeStatus> state) {
    return Optional.ofNullable(child.node().getStatus()).map(SeiNodeStatus::upgrades).stream()
        .flatMap(List::stream)
        .anyMatch(it -> it.name().equals(entry.name()) && state.test(it));
  }
}
