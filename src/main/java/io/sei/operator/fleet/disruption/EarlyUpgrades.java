package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.FleetChain;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.Progress;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetView;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * PURE: decides which nodes may run the image of a minor release before its height. A node does so
 * by itself once its own spec says {@code early}, so that field of a node's spec is its admission:
 * it is set as {@link Disruptions} admits the node, highest ordinal first, for one entry at a time,
 * and taken back from nodes that have not switched when rollouts are paused, a rollout begins, the
 * image turned out to be too early, or the chain does not plan the upgrade as a minor release.
 */
public final class EarlyUpgrades {

  private final FleetView view;
  private final Optional<Upgrade> current;
  private final boolean awaitsPlan;
  private final Optional<FleetNode> stalled;
  private final List<FleetNode> admitted;
  private final List<FleetNode> next;

  private EarlyUpgrades(FleetView view, Function<Upgrade, Optional<Boolean>> plansMinor) {
    this.view = view;
    this.current = current(view);
    Optional<Boolean> planned = current.flatMap(plansMinor);
    this.awaitsPlan = current.isPresent() && !planned.orElse(false);
    this.stalled = current.flatMap(this::stalled);
    boolean isStopped =
        stalled.isPresent()
            || current.isEmpty()
            || !planned.orElse(true)
            || isStopped(current.get());
    this.admitted =
        view.fleet().stream()
            .filter(
                node -> current.filter(entry -> isAdmitted(view.child(node), entry)).isPresent())
            .filter(node -> !isStopped || hasApplied(view.child(node), current.get()))
            .toList();
    this.next =
        isStopped || awaitsPlan
            ? List.of()
            : Disruptions.of(view).admit(Disruption.EARLY_UPGRADE, candidates());
  }

  /**
   * Decides.
   *
   * @param plansMinor whether the chain plans an entry as a minor release, without which no node
   *     switches; empty before anything was heard of the chain, when nodes keep the entry and no
   *     other node gets it
   */
  public static EarlyUpgrades of(FleetView view, Function<Upgrade, Optional<Boolean>> plansMinor) {
    return new EarlyUpgrades(view, plansMinor);
  }

  /** The first entry that a node has yet to apply. */
  private static Optional<Upgrade> current(FleetView view) {
    return early(view)
        .sorted(Comparator.comparing(Upgrade::height))
        .filter(entry -> view.wanted().anyMatch(child -> isOpen(child.node(), entry)))
        .findFirst();
  }

  /** The entries of the template that are marked early. */
  static Stream<Upgrade> early(FleetView view) {
    return Stream.ofNullable(view.template().spec().upgrades())
        .flatMap(List::stream)
        .filter(Upgrade::runsEarly);
  }

  /** A node that is paused or held gets the entry once it is neither, and delays no later one. */
  private static boolean isOpen(SeiNode node, Upgrade entry) {
    boolean isSuspended =
        Boolean.TRUE.equals(node.getSpec().paused()) || node.getSpec().holding().isPresent();
    return !isSuspended && !hasApplied(node, entry) && !hasPassed(node, entry);
  }

  private static boolean hasPassed(SeiNode node, Upgrade entry) {
    return node.getStatus() != null && node.getStatus().hasPassed(entry.name(), entry.height());
  }

  private boolean isStopped(Upgrade entry) {
    return view.pausesRollouts()
        || Disruptions.of(view).isMakingProgress(Disruption.ROLLOUT)
        || Boolean.TRUE.equals(view.template().spec().upgradesPaused())
        || view.wanted()
            .anyMatch(child -> records(child.node(), entry).anyMatch(UpgradeStatus::isWithdrawn));
  }

  /** A node that stalled with the image of an entry, and was paused or held before it was Ready. */
  private Optional<FleetNode> stalled(Upgrade entry) {
    return view.fleet().stream()
        .filter(FleetNode::pausedOrHeld)
        .filter(node -> hasApplied(view.child(node), entry))
        .filter(node -> hasYetToRecover(view.child(node).getStatus().progress()))
        .findFirst();
  }

  private static boolean hasYetToRecover(Progress progress) {
    return progress != null && progress.hasYetToRecover();
  }

  private List<FleetNode> candidates() {
    return view.fleet().stream()
        .filter(node -> !admitted.contains(node))
        .filter(node -> node.ordinal() >= view.limits().partition())
        .filter(node -> node.isReady() && node.upToDate() && !node.pausedOrHeld() && !node.atRisk())
        .sorted(Comparator.comparing(FleetNode::ordinal, Comparator.reverseOrder()))
        .toList();
  }

  /** Reason for which the next node may not run the current entry yet; empty if it may. */
  Optional<String> obstacle() {
    return current.isEmpty() || !next.isEmpty() || candidates().isEmpty()
        ? Optional.empty()
        : why().map(why -> "upgrade \"%s\" waits: %s".formatted(current.get().name(), why));
  }

  private Optional<String> why() {
    if (stalled.isPresent()) {
      return stalled
          .flatMap(FleetNode::absence)
          .map(absence -> stalled.get().name() + " stalled with its image, and " + absence.state());
    }
    return awaitsPlan
        ? Optional.of("no node reports that the chain plans it as a minor release")
        : Disruptions.of(view).obstacle(Disruption.EARLY_UPGRADE);
  }

  /** Nodes that are admitted in this pass. */
  List<FleetNode> next() {
    return next;
  }

  /**
   * Returns the time until another node may switch without an event, or the chain is looked at
   * again; empty without one.
   */
  public Optional<Duration> recheck() {
    if (awaitsPlan) {
      return Optional.of(FleetChain.INTERVAL);
    }
    return view.fleet().stream()
        .filter(node -> current.isPresent() && node.isReady())
        .map(node -> view.limits().confirmedAt(node, view.now()))
        .filter(moment -> moment.isAfter(view.now()))
        .min(Comparator.naturalOrder())
        .map(moment -> Duration.between(view.now(), moment));
  }

  /** The template without {@code early} in entries that a node may not run before their height. */
  public NodeTemplate restrict(NodeTemplate template, int ordinal) {
    List<Upgrade> upgrades = template.spec().upgrades();
    if (upgrades == null) {
      return template;
    }
    Optional<SeiNode> child = view.child(ordinal);
    boolean isAdmitted =
        Stream.concat(admitted.stream(), next.stream()).anyMatch(node -> node.ordinal() == ordinal);
    return template.withSpec(
        template
            .spec()
            .withUpgrades(
                upgrades.stream()
                    .map(
                        entry ->
                            mayRunEarly(entry, isAdmitted)
                                    && child.filter(node -> hasPassed(node, entry)).isEmpty()
                                ? entry
                                : new Upgrade(entry.name(), entry.height(), entry.image(), null))
                    .toList()));
  }

  private boolean mayRunEarly(Upgrade entry, boolean isAdmitted) {
    if (!entry.runsEarly() || current.isEmpty()) {
      return true;
    }
    boolean isCurrent = entry.name().equals(current.get().name());
    return entry.height() < current.get().height() || isCurrent && isAdmitted;
  }

  /**
   * Nodes that were admitted to the current entry and are not confirmed Ready with it. A node that
   * was created with the entry was not taken down for it.
   */
  static List<FleetNode> inFlight(FleetView view) {
    Optional<Upgrade> current = current(view);
    return view.fleet().stream()
        .filter(node -> current.filter(entry -> isInFlight(view, node, entry)).isPresent())
        .toList();
  }

  private static boolean isInFlight(FleetView view, FleetNode node, Upgrade entry) {
    SeiNode child = view.child(node);
    boolean isDone =
        hasApplied(child, entry) && node.upToDate() && view.limits().isConfirmed(node, view.now());
    return isAdmitted(child, entry) && !isDone && !node.neverReady();
  }

  private static boolean isAdmitted(SeiNode node, Upgrade entry) {
    return Stream.ofNullable(node.getSpec().upgrades())
        .flatMap(List::stream)
        .anyMatch(other -> other.runsEarly() && other.name().equals(entry.name()));
  }

  private static boolean hasApplied(SeiNode node, Upgrade entry) {
    return records(node, entry).anyMatch(UpgradeStatus::isApplied);
  }

  private static Stream<UpgradeStatus> records(SeiNode node, Upgrade entry) {
    return node.getStatus() == null || node.getStatus().upgrades() == null
        ? Stream.of()
        : node.getStatus().upgrades().stream()
            .filter(upgrade -> upgrade.name().equals(entry.name()));
  }
}
