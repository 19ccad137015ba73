package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * PURE: what the chain's plan means for a node. No message has a height or a time that changes by
 * itself, or every block would be a status write.
 */
final class PlannedUpgrade {

  private final NodeView view;
  private final Optional<UpgradePlan> plan;
  private final Optional<Upgrade> entry;
  private final List<UpgradeStatus> listedByChain;

  private PlannedUpgrade(NodePass pass) {
    this.view = pass.view();
    this.plan =
        view.chain()
            .flatMap(ChainState::planned)
            .filter(plan -> !view.upgrades().has(plan.name()))
            .filter(plan -> view.node().getSpec().executes(plan.height()));
    this.entry =
        plan.flatMap(
            upgradePlan ->
                AppliedUpgrades.listed(view.node().getSpec())
                    .filter(listed -> upgradePlan.name().equals(listed.name()))
                    .findFirst());
    this.listedByChain = ChainEntries.ahead(pass.draft()).toList();
  }

  static PlannedUpgrade of(NodePass pass) {
    return new PlannedUpgrade(pass);
  }

  /**
   * Returns whether a condition repeats the chain's plan of the time before this process started,
   * and the spec has not changed since: it holds until the chain is polled again.
   */
  boolean isStillSaid() {
    return view.chain().isEmpty()
        && view.stored()
            .condition(NodeConditionType.READY)
            .filter(ready -> ready.isFor(StallReason.HALTED_AT_UPGRADE))
            .isEmpty()
        && view.stored()
            .condition(NodeConditionType.UPGRADES_READY)
            .filter(
                condition ->
                    condition.isFor(
                        NodeReason.NOT_LISTED, NodeReason.NOT_MINOR, NodeReason.UPGRADE_PROPOSED))
            .map(Condition::observedGeneration)
            .filter(
                observedGeneration ->
                    observedGeneration.equals(view.node().getMetadata().getGeneration()))
            .isPresent();
  }

  /** Returns advice about a plan that is on no list, or without a pinned image. */
  Optional<String> notListed() {
    return listedByChain.stream()
        .filter(ChainEntries::isDisputed)
        .findFirst()
        .map(PlannedUpgrade::disputed)
        .or(
            () ->
                plan.filter(candidate -> entry.isEmpty())
                    .filter(candidate -> listedByChain.stream().noneMatch(isOf(candidate)))
                    .map(this::notListed));
  }

  private static Predicate<UpgradeStatus> isOf(UpgradePlan plan) {
    return upgrade -> upgrade.name().equals(plan.name());
  }

  private String notListed(UpgradePlan unlisted) {
    Optional<Upgrade> misnamed =
        AppliedUpgrades.listed(view.node().getSpec())
            .filter(entry -> entry.isTagOf(unlisted.name()))
            .findFirst();
    if (misnamed.isPresent()) {
      return "the chain plans upgrade \"%s\" at height %d, and spec.upgrades lists \"%s\", which looks like the tag of its image; correct the entry's name to \"%s\" before that height"
          .formatted(unlisted.name(), unlisted.height(), misnamed.get().name(), unlisted.name());
    }
    return "the chain plans upgrade \"%s\" at height %d, which spec.upgrades does not list%s; list it with its image before that height"
        .formatted(
            unlisted.name(),
            unlisted.height(),
            ChainListing.why(view, unlisted)
                .map(text -> ", nor does the operator by spec.upgradePolicy: " + text)
                .orElse(""));
  }

  private static String disputed(UpgradeStatus entry) {
    return "upgrade \"%s\" at height %d has another image on another Kubernetes node: %s here, and %s there; list the right one in spec.upgrades before that height"
        .formatted(entry.name(), entry.height(), entry.image(), entry.previousImageID());
  }

  /** Returns advice about the next upgrade that the chain votes on, if it is on no list. */
  Optional<String> proposed() {
    SeiNodeSpec spec = view.node().getSpec();
    return view.chain().map(ChainState::proposed).orElse(List.of()).stream()
        .filter(proposal -> view.chain().get().height() < proposal.height())
        .filter(proposal -> !view.upgrades().has(proposal.name()))
        .filter(proposal -> spec.executes(proposal.height()))
        .filter(
            proposal ->
                AppliedUpgrades.listed(spec)
                    .noneMatch(listed -> proposal.name().equals(listed.name())))
        .findFirst()
        .map(
            proposal ->
                "the chain votes on upgrade \"%s\" at height %d, which spec.upgrades does not list; list it with its image before the vote ends, so that it is pulled in time"
                    .formatted(proposal.name(), proposal.height()));
  }

  /** Returns advice about an image that should run early although the upgrade is not minor. */
  Optional<String> notMinor() {
    return plan.filter(candidate -> entry.filter(Upgrade::runsEarly).isPresent())
        .flatMap(UpgradePlan::whyNotEarly);
  }

  /**
   * Returns remarks for the list of upgrades ahead: what is voted on, and where the chain's height
   * is not the user's.
   */
  String remark() {
    String proposed = proposed().map(text -> "; " + text).orElse("");
    return proposed + otherHeight();
  }

  private String otherHeight() {
    return plan.filter(
            candidate ->
                entry
                    .filter(listed -> !Long.valueOf(candidate.height()).equals(listed.height()))
                    .isPresent())
        .map(
            upgradePlan ->
                "; the chain plans \"%s\" at height %d, and the name alone decides"
                    .formatted(upgradePlan.name(), upgradePlan.height()))
        .orElse("");
  }
}
