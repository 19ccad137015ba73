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
    Optional<String> uid = claim.map(it -> it.getMetadata().getUid());
    Map<String, UpgradeStatus> byName = new LinkedHashMap<>();
    Stream.concat(onClaim.stream(), onStatus(status))
        .filter(it -> isOfClaim(it, uid))
        .forEach(it -> byName.putIfAbsent(it.name(), it));
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
        .filter(it -> it.isApplied() || it.isWithdrawn());
  }

  /** A record that another writer changed may lack required fields. */
  private static boolean isWhole(UpgradeStatus record) {
    return record.name() != null && record.height() != null && record.image() != null;
  }

  /** The upgrades that are recorded on a claim, whichever claim they are of. */
  static List<UpgradeStatus> onClaim(Optional<PersistentVolumeClaim> claim) {
    Optional<String> text = claim.flatMap(it -> Annotations.of(it, Annotations.APPLIED_UPGRADES));
    try {
      return text
          .map(it -> KubernetesClients.serialization().unmarshal(it, OnClaim.class))
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
    all.removeIf(it -> it.name().equals(applied.name()));
    all.add(applied);
    return new AppliedUpgrades(List.copyOf(all));
  }

  /** Returns a copy whose records belong to this claim. */
  public AppliedUpgrades of(String claimUid) {
    return new AppliedUpgrades(records.stream().map(it -> it.withClaimUid(claimUid)).toList());
  }

  /** Returns whether one was recorded before there was a claim. */
  public boolean lacksClaim() {
    return records.stream().anyMatch(it -> it.claimUid() == null);
  }

  /** Returns whether the volume has been through the upgrade of this name. */
  public boolean has(String name) {
    return applied().anyMatch(it -> it.name().equals(name));
  }

  /**
   * Returns whether the node went back from the upgrade of this name, since its image came too
   * early.
   */
  public boolean isWithdrawn(String name) {
    return records.stream().anyMatch(it -> it.isWithdrawn() && it.name().equals(name));
  }

  /** The last upgrade that the volume has been through. */
  public Optional<UpgradeStatus> last() {
    return applied().reduce((earlier, later) -> later);
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
        .filter(it -> declared.equals(it.supersededImage()) || isBehind(it, declared))
        .map(it -> image(spec, it))
        .orElse(declared);
  }

  /** The upgrade that an image is behind, where that image would not run on this volume. */
  public Optional<UpgradeStatus> refusing(String declaredImage) {
    return last()
        .filter(it -> !declaredImage.equals(it.supersededImage()))
        .filter(it -> isBehind(it, declaredImage));
  }

  /**
   * Returns the upgrades for the status: applied ones, and listed ones.
   *
   * @param before what it says so far, from which the pulls of images are taken over
   */
  public List<UpgradeStatus> status(SeiNodeSpec spec, SeiNodeStatus before) {
    Stream<UpgradeStatus> ahead =
        listed(spec)
            .filter(it -> !has(it.name()))
            .map(this::ahead)
            .map(it -> named(before, it.name()).map(it::pulledAs).orElse(it));
    return Stream.concat(applied(), ahead)
        .sorted(Comparator.comparing(UpgradeStatus::height))
        .toList();
  }

  private UpgradeStatus ahead(Upgrade listed) {
    UpgradeStatus scheduled = UpgradeStatus.scheduled(listed);
    return records.stream()
        .filter(it -> it.isWithdrawn() && it.name().equals(listed.name()))
        .findFirst()
        .map(it -> scheduled.with(that -> that.evidence(it.evidence()).claimUid(it.claimUid())))
        .orElse(scheduled);
  }

  private static Optional<UpgradeStatus> named(SeiNodeStatus status, String name) {
    return Stream.ofNullable(status.upgrades())
        .flatMap(List::stream)
        .filter(it -> name.equals(it.name()) && it.isAhead())
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
                it ->
                    image.equals(it.supersededImage())
                        || (!it.equals(last) && image.equals(it.image())));
  }

  /** A wrong image of an entry can be corrected in the entry. */
  private static String image(SeiNodeSpec spec, UpgradeStatus applied) {
    return listed(spec)
        .filter(it -> it.name().equals(applied.name()))
        .map(Upgrade::image)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(applied.image());
  }
}
