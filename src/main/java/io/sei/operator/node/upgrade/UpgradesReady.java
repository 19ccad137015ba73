package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpgradeConfiguration.State;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.Releases;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.LogAccess;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: the condition UpgradesReady, which says whether the node will get through the upgrades
 * ahead by itself. A node that never had one ahead does not have the condition.
 */
final class UpgradesReady {

  private final NodePass pass;
  private final List<UpgradeStatus> ahead;
  private final List<UpgradeStatus> passed;
  private final PlannedUpgrade planned;
  private final Releases releases;
  private final UpgradeChanges changes;

  private UpgradesReady(NodePass pass, Releases releases, Optional<SeidVersion> running) {
    this.pass = pass;
    this.releases = releases;
    this.changes = new UpgradeChanges(releases, pass.view(), running);
    List<UpgradeStatus> listed =
        Stream.ofNullable(pass.draft().upgrades())
            .flatMap(List::stream)
            .filter(UpgradeStatus::isAhead)
            .toList();
    this.ahead = listed.stream().filter(upgrade -> !upgrade.isPassed()).toList();
    this.passed = listed.stream().filter(UpgradeStatus::isPassed).toList();
    this.planned = PlannedUpgrade.of(pass);
  }

  /**
   * Sets the condition, if there is or was something to say.
   *
   * @param running version of the seid that runs; empty if it is unknown
   */
  static void derive(
      NodePass pass, Optional<Finding> finding, Releases releases, Optional<SeidVersion> running) {
    var table = new UpgradesReady(pass, releases, running);
    Optional<ConditionProposal> missing = finding.flatMap(table::missing);
    Optional<ConditionProposal> halted = finding.flatMap(table::halted);
    if (missing.isEmpty() && halted.isEmpty() && table.planned.isStillSaid()) {
      return;
    }
    Stream.of(
            missing,
            halted,
            table.notListed(),
            table.notMinor(),
            table.paused(),
            table.against(UpgradeImage::forbidden, NodeReason.UPGRADE_IMAGE_FORBIDDEN),
            table.notPulled(),
            table.unusable(),
            table.against(UpgradeImage::mismatch, NodeReason.UPGRADE_IMAGE_MISMATCH),
            table.configuration(State.FILE_MISSING, NodeReason.CONFIG_FILE_MISSING),
            table.configuration(State.REFUSED, NodeReason.CONFIGURATION_REFUSED),
            table.logsForbidden(),
            table.prepared(),
            table.proposed(),
            table.passed(),
            table.nothingAhead())
        .flatMap(Optional::stream)
        .findFirst()
        .ifPresent(proposal -> pass.put(NodeConditionType.UPGRADES_READY, proposal));
  }

  /** The node halted, and its next image is not there: it is down until that entry is right. */
  private Optional<ConditionProposal> missing(Finding finding) {
    return pass.view()
        .runningUpgrade()
        .filter(upgrade -> finding.reason() == StallReason.IMAGE_PULL)
        .filter(upgrade -> finding.nextStep().contains("upgrade \"" + upgrade.name() + "\""))
        .map(
            upgrade ->
                ConditionProposal.no(
                    NodeReason.UPGRADE_IMAGE_PULL,
                    "image %s of upgrade \"%s\", which the node needs now, cannot be pulled: %s"
                        .formatted(upgrade.image(), upgrade.name(), finding.message())));
  }

  /** The node halted for an upgrade that is on no list: it is down until a user lists it. */
  private Optional<ConditionProposal> halted(Finding finding) {
    if (finding.reason() != StallReason.HALTED_AT_UPGRADE) {
      return Optional.empty();
    }
    return pass.view()
        .livePod()
        .flatMap(PodFacts::upgradePanic)
        .filter(panic -> panic.upgrade() != null && panic.height() != null)
        .filter(
            panic ->
                AppliedUpgrades.listed(pass.node().getSpec())
                    .noneMatch(entry -> entry.name().equals(panic.upgrade())))
        .map(
            panic ->
                ConditionProposal.no(
                    NodeReason.NOT_LISTED,
                    "seid halted for upgrade \"%s\" at height %d, which spec.upgrades does not list; %s"
                        .formatted(panic.upgrade(), panic.height(), finding.nextStep())));
  }

  private Optional<ConditionProposal> notListed() {
    return planned.notListed().map(text -> ConditionProposal.no(NodeReason.NOT_LISTED, text));
  }

  /** A proposal may fail, so that it is no reason to be not ready. */
  private Optional<ConditionProposal> proposed() {
    return planned.proposed().map(text -> ConditionProposal.yes(NodeReason.UPGRADE_PROPOSED, text));
  }

  private Optional<ConditionProposal> notMinor() {
    return planned.notMinor().map(text -> ConditionProposal.no(NodeReason.NOT_MINOR, text));
  }

  private Optional<ConditionProposal> paused() {
    return Optional.of(pass.node().getSpec())
        .filter(spec -> !ahead.isEmpty() && Boolean.TRUE.equals(spec.upgradesPaused()))
        .map(
            spec ->
                ConditionProposal.no(
                    NodeReason.UPGRADES_PAUSED,
                    "spec.upgradesPaused is true: the node keeps its image when it halts for "
                        + names()));
  }

  /** Objections of the list of releases to the images of the upgrades ahead. */
  private Optional<ConditionProposal> against(
      Function<UpgradeImage, Optional<String>> objection, NodeReason reason) {
    return images()
        .flatMap(image -> objection.apply(image).stream())
        .reduce((one, other) -> one + "; " + other)
        .map(message -> ConditionProposal.no(reason, message));
  }

  private Stream<UpgradeImage> images() {
    return ahead.stream().map(upgrade -> UpgradeImage.of(pass.node(), upgrade, releases));
  }

  private Optional<ConditionProposal> notPulled() {
    return ahead.stream()
        .filter(upgrade -> upgrade.pullError() != null)
        .map(UpgradesReady::notPulled)
        .reduce((one, other) -> one + "; " + other)
        .map(message -> ConditionProposal.no(NodeReason.UPGRADE_IMAGE_PULL, message));
  }

  /** Describes why the image of an upgrade is not where the node will need it. */
  static String notPulled(UpgradeStatus upgrade) {
    if (ChainEntries.isOfChain(upgrade)) {
      return "no image of upgrade \"%s\" can be pulled ahead: %s"
          .formatted(upgrade.name(), upgrade.pullError());
    }
    return "image %s of upgrade \"%s\" cannot be pulled ahead: %s"
        .formatted(upgrade.image(), upgrade.name(), upgrade.pullError());
  }

  /** The image is where the node will need it, and seid does not run in it. */
  private Optional<ConditionProposal> unusable() {
    return ahead.stream()
        .filter(upgrade -> upgrade.inspectionError() != null)
        .map(UpgradesReady::unusable)
        .reduce((one, other) -> one + "; " + other)
        .map(message -> ConditionProposal.no(NodeReason.UPGRADE_IMAGE_UNUSABLE, message));
  }

  /** Describes why seid cannot run in the image of an upgrade. */
  static String unusable(UpgradeStatus upgrade) {
    return "image %s of upgrade \"%s\" cannot be used: %s"
        .formatted(upgrade.image(), upgrade.name(), upgrade.inspectionError());
  }

  /** The files of the node are not what the seid of an upgrade needs. */
  private Optional<ConditionProposal> configuration(State state, NodeReason reason) {
    return ahead.stream()
        .filter(upgrade -> upgrade.configuration() != null)
        .filter(upgrade -> upgrade.configuration().state() == state)
        .map(
            upgrade ->
                "the configuration is not ready for upgrade \"%s\": %s"
                    .formatted(upgrade.name(), upgrade.configuration().message()))
        .reduce((one, other) -> one + "; " + other)
        .map(message -> ConditionProposal.no(reason, message));
  }

  /** While the logs are unreadable for an unknown cause, the previous proposal stays. */
  private Optional<ConditionProposal> logsForbidden() {
    if (ahead.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> said =
        pass.draft()
            .condition(NodeConditionType.UPGRADES_READY)
            .filter(condition -> condition.isFor(NodeReason.LOGS_FORBIDDEN))
            .map(Condition::message);
    LogAccess access = pass.logAccess();
    Optional<String> message =
        access.isKnown()
            ? access
                .refusal()
                .map(
                    words ->
                        "the operator cannot read the log of seid, and may not recognise a halt: "
                            + words
                            + "; grant it the verb get on pods/log")
            : said;
    return message.map(text -> ConditionProposal.no(NodeReason.LOGS_FORBIDDEN, text));
  }

  private Optional<ConditionProposal> prepared() {
    if (ahead.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        ahead.stream().allMatch(upgrade -> upgrade.state() == UpgradeState.READY)
            ? ConditionProposal.yes(
                NodeReason.UPGRADES_PREPARED,
                "listed, and the image is on its Kubernetes node: " + names() + remarks())
            : ConditionProposal.yes(NodeReason.UPGRADES_PENDING, "listed: " + names() + remarks()));
  }

  private String remarks() {
    return movedTags()
        + changesForNode()
        + planned.remark()
        + passed.stream().map(upgrade -> "; " + passed(upgrade)).collect(Collectors.joining());
  }

  private Optional<ConditionProposal> passed() {
    return passed.stream()
        .map(UpgradesReady::passed)
        .reduce((one, other) -> one + "; " + other)
        .map(message -> ConditionProposal.yes(NodeReason.UPGRADE_PASSED, message));
  }

  private static String passed(UpgradeStatus upgrade) {
    return "the chain is past height %d of upgrade \"%s\" and has no such plan; remove the entry from spec.upgrades unless another node has yet to reach that height, or correct its name"
        .formatted(upgrade.height(), upgrade.name());
  }

  private String changesForNode() {
    return images()
        .flatMap(image -> image.version().flatMap(changes::describe).stream())
        .map("; "::concat)
        .collect(Collectors.joining());
  }

  private String movedTags() {
    return ahead.stream()
        .filter(upgrade -> upgrade.previousImageID() != null)
        .map(upgrade -> "; " + movedTag(upgrade))
        .collect(Collectors.joining());
  }

  /** A tag that means another image than before. */
  static String movedTag(UpgradeStatus upgrade) {
    return "the tag of image %s of upgrade \"%s\" was moved since it was pulled before; check who pushed it"
        .formatted(upgrade.image(), upgrade.name());
  }

  /** Only where there was one: a node without upgrades has nothing to be ready for. */
  private Optional<ConditionProposal> nothingAhead() {
    return pass.draft()
        .condition(NodeConditionType.UPGRADES_READY)
        .map(
            condition ->
                ConditionProposal.yes(NodeReason.NO_UPGRADES, "no later upgrade is listed"));
  }

  private String names() {
    return images().map(UpgradeImage::describe).collect(Collectors.joining(", "));
  }
}
