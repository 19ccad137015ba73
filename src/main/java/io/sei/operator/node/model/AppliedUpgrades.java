package io.sei.operator.node.model;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
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
 * The upgrades that a node's volume has been through, by height. They are recorded on the status
 * and on the claim, so that they outlive the entry in the spec, and the node itself. A claim made
 * again has been through none.
 */
public record AppliedUpgrades(List<UpgradeStatus> records) {

  private static final Logger log = LoggerFactory.getLogger(AppliedUpgrades.class);

  /** What the annotation of a claim says. */
  private record OnClaim(List<UpgradeStatus> upgrades) {}

  /** What the status says, and the claim if it can be read. */
  public static AppliedUpgrades of(SeiNodeStatus status, Optional<PersistentVolumeClaim> claim) {
    Optional<String> uid = claim.map(it -> it.getMetadata().getUid());
    Map<String, UpgradeStatus> byName = new LinkedHashMap<>();
    Stream.concat(onClaim(claim), onStatus(status))
        .filter(it -> uid.isEmpty() || uid.get().equals(it.claimUid()))
        .forEach(it -> byName.putIfAbsent(it.name(), it));
    return new AppliedUpgrades(
        byName.values().stream().sorted(Comparator.comparing(UpgradeStatus::height)).toList());
  }

  private static Stream<UpgradeStatus> onStatus(SeiNodeStatus status) {
    return Stream.ofNullable(status.upgrades())
        .flatMap(List::stream)
        .filter(it -> it.state() == UpgradeState.APPLIED);
  }

  private static Stream<UpgradeStatus> onClaim(Optional<PersistentVolumeClaim> claim) {
    Optional<String> text = claim.flatMap(it -> Annotations.of(it, Annotations.APPLIED_UPGRADES));
    try {
      return text
          .map(it -> KubernetesClients.serialization().unmarshal(it, OnClaim.class))
          .map(OnClaim::upgrades)
          .stream()
          .flatMap(List::stream)
          .filter(it -> it.name() != null && it.height() != null && it.image() != null);
    } catch (RuntimeException e) {
      log.warn(
          "Ignoring annotation {} of claim {}: {}",
          Annotations.APPLIED_UPGRADES,
          claim.get().getMetadata().getName(),
          e.getMessage());
      return Stream.empty();
    }
  }

  /** The value of the claim's annotation. */
  public String annotation() {
    return KubernetesClients.serialization().asJson(new OnClaim(records));
  }

  /** The same with one more. */
  public AppliedUpgrades with(UpgradeStatus applied) {
    var all = new ArrayList<>(records);
    all.removeIf(it -> it.name().equals(applied.name()));
    all.add(applied);
    return new AppliedUpgrades(List.copyOf(all));
  }

  /** Whether the volume has been through the upgrade of this name. */
  public boolean has(String name) {
    return records.stream().anyMatch(it -> it.name().equals(name));
  }

  /**
   * The node with the image that it is to run in place of {@code spec.image}: that of the last
   * upgrade, unless somebody has changed {@code spec.image} since.
   */
  public SeiNode effective(SeiNode declared) {
    SeiNodeSpec spec = declared.getSpec();
    Optional<String> image =
        last()
            .filter(it -> spec.image().equals(it.supersededImage()) || isBehind(spec.image()))
            .map(it -> image(spec, it))
            .filter(it -> !it.equals(spec.image()));
    return image.map(it -> withImage(declared, it)).orElse(declared);
  }

  /** The upgrade that an image is behind, where that image would not run on this volume. */
  public Optional<UpgradeStatus> refusing(String declaredImage) {
    return last()
        .filter(it -> !declaredImage.equals(it.supersededImage()))
        .filter(it -> isBehind(declaredImage));
  }

  /**
   * What the status says of upgrades: those applied, and those that the spec lists beside them.
   *
   * @param before what it says so far, from which the pulls of images are taken over
   */
  public List<UpgradeStatus> status(SeiNodeSpec spec, SeiNodeStatus before) {
    Stream<UpgradeStatus> scheduled =
        listed(spec)
            .filter(it -> !has(it.name()))
            .map(UpgradeStatus::scheduled)
            .map(it -> named(before, it.name()).map(it::pulledAs).orElse(it));
    return Stream.concat(records.stream(), scheduled)
        .sorted(Comparator.comparing(UpgradeStatus::height))
        .toList();
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

  private Optional<UpgradeStatus> last() {
    return records.isEmpty() ? Optional.empty() : Optional.of(records.get(records.size() - 1));
  }

  /** Whether the volume left an image behind at an earlier upgrade. */
  private boolean isBehind(String image) {
    UpgradeStatus last = records.get(records.size() - 1);
    return !image.equals(last.image())
        && records.stream()
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

  private static SeiNode withImage(SeiNode declared, String image) {
    var node = new SeiNode();
    node.setMetadata(declared.getMetadata());
    node.setSpec(declared.getSpec().withImage(image));
    node.setStatus(declared.getStatus());
    return node;
  }
}
