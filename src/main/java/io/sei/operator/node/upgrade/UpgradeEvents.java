package io.sei.operator.node.upgrade;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.EventRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tells what came of the upgrades that are listed for a node. */
final class UpgradeEvents {

  /** The Events of one change, in the order they are recorded. */
  static final List<EventRule<SeiNodeStatus>> TABLE =
      List.of(
          UpgradeEvents::of,
          EventRule.warning("UpgradeNotListed", UpgradeEvents::notListed),
          EventRule.warning(
              StallReason.HALTED_AT_UPGRADE.toString(), UpgradeEvents::haltedUnlisted));

  private UpgradeEvents() {}

  private static Stream<ObjectEvent> of(SeiNodeStatus before, SeiNodeStatus after) {
    if (before.phase() == null) {
      // What an earlier node of the name went through is read from its claim.
      return Stream.empty();
    }
    Set<String> applied = names(before, UpgradeStatus::isApplied);
    Stream<ObjectEvent> reached =
        upgrades(after)
            .filter(upgrade -> upgrade.isApplied() && !applied.contains(upgrade.name()))
            .map(
                upgrade ->
                    "upgrade \"%s\" at height %d: %s; continuing with image %s"
                        .formatted(
                            upgrade.name(), upgrade.height(), upgrade.evidence(), upgrade.image()))
            .map(message -> normal("UpgradeReached", message));
    Stream<ObjectEvent> withdrawn =
        upgrades(after)
            .filter(upgrade -> upgrade.isWithdrawn() && applied.contains(upgrade.name()))
            .map(
                upgrade ->
                    "image %s came too early for upgrade \"%s\" and is taken back: %s"
                        .formatted(upgrade.image(), upgrade.name(), upgrade.evidence()))
            .map(message -> warning("UpgradeWithdrawn", message));
    return Stream.of(reached, withdrawn, pulled(before, after)).flatMap(other -> other);
  }

  private static Stream<ObjectEvent> pulled(SeiNodeStatus before, SeiNodeStatus after) {
    Map<String, UpgradeStatus> had = new HashMap<>();
    upgrades(before).forEach(upgrade -> had.put(key(upgrade), upgrade));
    return upgrades(after)
        .filter(UpgradeStatus::isAhead)
        .flatMap(upgrade -> pulled(had.get(key(upgrade)), upgrade));
  }

  /** The image of an entry that the operator listed itself may be one of several. */
  private static String key(UpgradeStatus upgrade) {
    return ChainEntries.isOfChain(upgrade)
        ? upgrade.name()
        : upgrade.name() + " " + upgrade.image();
  }

  /**
   * Reports outcomes of pulls of the image of an upgrade ahead.
   *
   * @param before null if the image was not listed for it
   */
  private static Stream<ObjectEvent> pulled(UpgradeStatus before, UpgradeStatus now) {
    var events = Stream.<ObjectEvent>builder();
    if (now.pullError() != null && (before == null || before.pullError() == null)) {
      events.add(warning("UpgradeImagePull", UpgradesReady.notPulled(now)));
    }
    if (now.previousImageID() != null
        && (before == null || !now.previousImageID().equals(before.previousImageID()))) {
      events.add(warning("UpgradeImageChanged", UpgradesReady.movedTag(now)));
    }
    if (now.inspectionError() != null && (before == null || before.inspectionError() == null)) {
      events.add(warning("UpgradeImageUnusable", UpgradesReady.unusable(now)));
    }
    if (now.state() == UpgradeState.READY
        && (before == null || before.state() != UpgradeState.READY)) {
      events.add(
          normal(
              "UpgradePrepared",
              "image %s of upgrade \"%s\" is on Kubernetes node %s"
                  .formatted(now.image(), now.name(), now.pulledOn())));
    }
    return events.build();
  }

  private static Set<String> names(SeiNodeStatus status, Predicate<UpgradeStatus> which) {
    return upgrades(status).filter(which).map(UpgradeStatus::name).collect(Collectors.toSet());
  }

  private static Stream<UpgradeStatus> upgrades(SeiNodeStatus status) {
    return Stream.ofNullable(status.upgrades()).flatMap(List::stream);
  }

  /** Once for each upgrade: its message names it. A halt has an Event of its own. */
  private static Optional<String> notListed(SeiNodeStatus before, SeiNodeStatus after) {
    return notListed(after)
        .filter(now -> halt(after).isEmpty())
        .filter(now -> !notListed(before).equals(Optional.of(now)));
  }

  /**
   * Reports each halt that waits for the user once. A listed one continues without help, or has a
   * reason of its own.
   */
  private static Optional<String> haltedUnlisted(SeiNodeStatus before, SeiNodeStatus after) {
    return halt(after)
        .filter(now -> halt(before).isEmpty())
        .map(Condition::message)
        .filter(
            now ->
                upgrades(after)
                    .noneMatch(upgrade -> now.contains("upgrade \"" + upgrade.name() + "\"")));
  }

  private static Optional<Condition> halt(SeiNodeStatus status) {
    return status
        .condition(NodeConditionType.READY)
        .filter(ready -> ready.isFor(StallReason.HALTED_AT_UPGRADE));
  }

  private static Optional<String> notListed(SeiNodeStatus status) {
    return status
        .condition(NodeConditionType.UPGRADES_READY)
        .filter(condition -> condition.isFor(NodeReason.NOT_LISTED))
        .map(Condition::message);
  }
}
