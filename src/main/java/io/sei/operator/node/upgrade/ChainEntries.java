package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeSource;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatusBuilder;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodeView;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: the entries of {@code status.upgrades} that the operator listed itself. One is sought until
 * its digest is known; from then on it counts as if {@code spec.upgrades} had it, unless the digest
 * is disputed: another Kubernetes node got another one for the same upgrade.
 */
final class ChainEntries {

  private ChainEntries() {}

  /** A new one, of which a digest is yet to be found. */
  static UpgradeStatus sought(String name, long height, String image) {
    return UpgradeStatusBuilder.builder()
        .name(name)
        .height(height)
        .image(image)
        .state(UpgradeState.SCHEDULED)
        .source(UpgradeSource.CHAIN)
        .build();
  }

  /** Returns the upgrades ahead. */
  static Stream<UpgradeStatus> ahead(SeiNodeStatus status) {
    return all(status).filter(UpgradeStatus::isAhead);
  }

  /** All, also those that the volume has been through. */
  static Stream<UpgradeStatus> all(SeiNodeStatus status) {
    return Stream.ofNullable(status.upgrades())
        .flatMap(List::stream)
        .filter(ChainEntries::isOfChain)
        .filter(
            upgrade ->
                upgrade.name() != null && upgrade.height() != null && upgrade.image() != null);
  }

  static boolean isOfChain(UpgradeStatus upgrade) {
    return upgrade.source() == UpgradeSource.CHAIN;
  }

  /** The digest by which it runs, once that is known. */
  static Optional<String> digest(UpgradeStatus entry) {
    return ImageTemplates.digest(entry.image());
  }

  static boolean isDisputed(UpgradeStatus entry) {
    return isOfChain(entry) && entry.previousImageID() != null;
  }

  /**
   * An entry once a kubelet has an image of it: the first time its digest is recorded, by which it
   * is pulled from then on.
   */
  static UpgradeStatus pulled(
      UpgradeStatus entry, String kubernetesNode, String resolved, Instant now) {
    if (!isOfChain(entry)) {
      return entry.pulled(resolved, kubernetesNode, now);
    }
    if (digest(entry).isPresent()) {
      return entry
          .pulled(resolved, kubernetesNode, now)
          .withPreviousImageID(entry.previousImageID());
    }
    return ImageTemplates.digest(resolved)
        .map(digest -> sought(entry.name(), entry.height(), entry.image() + "@" + digest))
        .orElseGet(
            () ->
                entry.notPulled("%s: the kubelet reports no digest".formatted(entry.image()), now));
  }

  /** Whether a person has listed something for its name or for its height. */
  static Predicate<UpgradeStatus> isListedIn(SeiNodeSpec declared) {
    return entry ->
        AppliedUpgrades.listed(declared)
            .anyMatch(
                upgrade ->
                    entry.name().equals(upgrade.name()) || entry.height().equals(upgrade.height()));
  }

  /** The spec with what the operator has listed beside what people have. */
  static SeiNodeSpec effective(SeiNodeSpec declared, SeiNodeStatus status) {
    if (declared.upgradePolicy() == null) {
      return declared;
    }
    List<Upgrade> listed =
        ahead(status)
            .filter(upgrade -> digest(upgrade).isPresent() && !isDisputed(upgrade))
            .filter(isListedIn(declared).negate())
            .map(upgrade -> new Upgrade(upgrade.name(), upgrade.height(), upgrade.image(), null))
            .toList();
    return listed.isEmpty()
        ? declared
        : declared.withUpgrades(
            Stream.concat(AppliedUpgrades.listed(declared), listed.stream()).toList());
  }

  /**
   * Returns the upgrades of a status: the user's, and the operator's beside them.
   *
   * @param before what it says so far
   */
  static List<UpgradeStatus> status(NodeView view, AppliedUpgrades applied, SeiNodeStatus before) {
    SeiNodeSpec declared = view.declared();
    List<UpgradeStatus> listed =
        applied.status(
            effective(view.node().getSpec().withUpgrades(declared.upgrades()), before), before);
    var named = listed.stream().map(UpgradeStatus::name).collect(Collectors.toSet());
    var ofChain = all(before).map(UpgradeStatus::name).collect(Collectors.toSet());
    var ofPeople = AppliedUpgrades.listed(declared).map(Upgrade::name).collect(Collectors.toSet());
    return Stream.concat(
            listed.stream()
                .map(
                    upgrade ->
                        ofChain.contains(upgrade.name()) && !ofPeople.contains(upgrade.name())
                            ? upgrade.withSource(UpgradeSource.CHAIN)
                            : upgrade),
            ahead(before)
                .filter(isListedIn(declared).negate())
                .filter(upgrade -> !named.contains(upgrade.name())))
        .sorted(Comparator.comparing(UpgradeStatus::height))
        .toList();
  }
}
