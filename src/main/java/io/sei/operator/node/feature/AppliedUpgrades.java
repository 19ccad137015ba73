package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.Annotations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The upgrades that a node's volume has been through, by height, and those that its node went back
 * from. They are recorded on the status and on the claim, so that they outlive the entry in the
 * spec, and the node itself. A claim recreated has been through none.
 *
 * @param records applied ones, and withdrawn ones: these are not applied, and have the evidence
 */
public record AppliedUpgrades(List<UpgradeStatus> records) {

  private static final Logger log = LoggerFactory.getLogger(AppliedUpgrades.class);

  /** Content of a claim's annotation. */
  private record OnClaim(List<UpgradeStatus> upgrades) {}

  /** Combines the records of the status and of the claim, if it can be read. */
  public static AppliedUpgrades of(SeiNodeStatus status, Optional<PersistentVolumeClaim> claim) {
    return of(status, claim, onClaim(claim));
  }

  /** Combines the records of the status and of the claim's annotation. */
  static AppliedUpgrades of(
      SeiNodeStatus status, Optional<PersistentVolumeClaim> claim, List<UpgradeStatus> onClaim) {
    Optional<String> uid =
        claim.map(persistentVolumeClaim -> persistentVolumeClaim.getMetadata().getUid());
    Map<String, UpgradeStatus> byName = new LinkedHashMap<>();
    Stream.concat(onClaim.stream(), onStatus(status))
        .filter(upgrade -> isOfClaim(upgrade, uid))
        .forEach(upgrade -> byName.putIfAbsent(upgrade.name(), upgrade));
    return new AppliedUpgrades(
        byName.values().stream().sorted(Comparator.comparing(UpgradeStatus::height)).toList());
  }

  /** A record from the time before there was a claim belongs to the first one. */
  private static boolean isOfClaim(UpgradeStatus record, Optional<String> uid) {
    return uid.isEmpty() || record.claimUid() == null || uid.get().equals(record.claimUid());
  }

  private static Stream<UpgradeStatus> onStatus(SeiNodeStatus status) {
    return Stream.ofNullable(status.upgrades())
        .flatMap(List::stream)
        .filter(AppliedUpgrades::isWhole)
        .filter(upgrade -> upgrade.isApplied() || upgrade.isWithdrawn());
  }

  /** A record that another writer changed may lack required fields. */
  private static boolean isWhole(UpgradeStatus record) {
    return record.name() != null && record.height() != null && record.image() != null;
  }

  /** The upgrades that are recorded on a claim, whichever claim they are of. */
  static List<UpgradeStatus> onClaim(Optional<PersistentVolumeClaim> claim) {
    Optional<String> text =
        claim.flatMap(
            persistentVolumeClaim ->
                Annotations.of(persistentVolumeClaim, Annotations.APPLIED_UPGRADES));
    try {
      return text
          .map(value -> KubernetesClients.serialization().unmarshal(value, OnClaim.class))
          .map(OnClaim::upgrades)
          .stream()
          .flatMap(List::stream)
          .filter(AppliedUpgrades::isWhole)
          .toList();
    } catch (RuntimeException e) {
      log.warn(
          "Ignoring annotation {} of claim {}: {}",
          Annotations.APPLIED_UPGRADES,
          claim.get().getMetadata().getName(),
          e.getMessage());
      return List.of();
    }
  }

  /** The value of the claim's annotation. */
  public String annotation() {
    return KubernetesClients.serialization().asJson(new OnClaim(records));
  }

  /** Returns a copy with one more upgrade. */
  public AppliedUpgrades with(UpgradeStatus applied) {
    var all = new ArrayList<>(records);
    all.removeIf(upgrade -> upgrade.name().equals(applied.name()));
    all.add(applied);
    return new AppliedUpgrades(List.copyOf(all));
  }

  /** Returns a copy whose records belong to this claim. */
  public AppliedUpgrades of(String claimUid) {
    return new AppliedUpgrades(
        records.stream().map(upgrade -> upgrade.withClaimUid(claimUid)).toList());
  }

  /** Returns whether one was recorded before there was a claim. */
  public boolean lacksClaim() {
    return records.stream().anyMatch(upgrade -> upgrade.claimUid() == null);
  }

  /** Returns whether the volume has been through the upgrade of this name. */
  public boolean has(String name) {
    return applied().anyMatch(upgrade -> upgrade.name().equals(name));
  }

  /**
   * Returns whether the node went back from the upgrade of this name, since its image came too
   * early.
   */
  public boolean isWithdrawn(String name) {
    return records.stream()
        .anyMatch(upgrade -> upgrade.isWithdrawn() && upgrade.name().equals(name));
  }

  /** The last upgrade that the volume has been through. */
  public Optional<UpgradeStatus> last() {
    return applied().reduce((earlier, later) -> later);
  }

  /** The last upgrade with the image that its entry has now; empty if that is recorded. */
  public Optional<UpgradeStatus> correction(SeiNodeSpec spec) {
    return last()
        .map(applied -> applied.withImage(image(spec, applied)))
        .filter(corrected -> !records.contains(corrected));
  }

  /**
   * Returns the spec with the image of the last upgrade in place of {@code spec.image}, unless the
   * user has changed {@code spec.image} since.
   */
  public SeiNodeSpec effective(SeiNodeSpec declared) {
    return declared.withImage(image(declared, declared.image()));
  }

  /** The image of such a node, whose {@code spec.image} is this one. */
  public String image(SeiNodeSpec spec, String declared) {
    return last()
        .filter(
            upgrade -> declared.equals(upgrade.supersededImage()) || isBehind(upgrade, declared))
        .map(upgrade -> image(spec, upgrade))
        .orElse(declared);
  }

  /** The upgrade that an image is behind, where that image would not run on this volume. */
  public Optional<UpgradeStatus> refusing(String declaredImage) {
    return last()
        .filter(upgrade -> !declaredImage.equals(upgrade.supersededImage()))
        .filter(upgrade -> isBehind(upgrade, declaredImage));
  }

  /**
   * Returns the upgrades for the status: applied ones, and listed ones.
   *
   * @param before what it says so far, from which the pulls of images are taken over
   */
  public List<UpgradeStatus> status(SeiNodeSpec spec, SeiNodeStatus before) {
    Stream<UpgradeStatus> ahead =
        listed(spec)
            .filter(upgrade -> !has(upgrade.name()))
            .map(this::ahead)
            .map(upgrade -> named(before, upgrade.name()).map(upgrade::pulledAs).orElse(upgrade));
    return Stream.concat(applied(), ahead)
        .sorted(Comparator.comparing(UpgradeStatus::height))
        .toList();
  }

  private UpgradeStatus ahead(Upgrade listed) {
    UpgradeStatus scheduled = UpgradeStatus.scheduled(listed);
    return records.stream()
        .filter(upgrade -> upgrade.isWithdrawn() && upgrade.name().equals(listed.name()))
        .findFirst()
        .map(
            upgrade ->
                scheduled.with(
                    that -> that.evidence(upgrade.evidence()).claimUid(upgrade.claimUid())))
        .orElse(scheduled);
  }

  private static Optional<UpgradeStatus> named(SeiNodeStatus status, String name) {
    return Stream.ofNullable(status.upgrades())
        .flatMap(List::stream)
        .filter(upgrade -> name.equals(upgrade.name()) && upgrade.isAhead())
        .findFirst();
  }

  /** The upgrades that a spec lists. */
  public static Stream<Upgrade> listed(SeiNodeSpec spec) {
    return Stream.ofNullable(spec.upgrades()).flatMap(List::stream);
  }

  private Stream<UpgradeStatus> applied() {
    return records.stream().filter(UpgradeStatus::isApplied);
  }

  /** Returns whether the volume left an image behind at an upgrade before the last one. */
  private boolean isBehind(UpgradeStatus last, String image) {
    return !image.equals(last.image())
        && applied()
            .anyMatch(
                upgrade ->
                    image.equals(upgrade.supersededImage())
                        || (!upgrade.equals(last) && image.equals(upgrade.image())));
  }

  /** A wrong image of an entry can be corrected in the entry. */
  private static String image(SeiNodeSpec spec, UpgradeStatus applied) {
    return listed(spec)
        .filter(upgrade -> upgrade.name().equals(applied.name()))
        .map(Upgrade::image)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(applied.image());
  }
}
