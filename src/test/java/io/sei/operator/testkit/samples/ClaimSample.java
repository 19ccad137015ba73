package io.sei.operator.testkit.samples;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimConditionBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Instant;
import java.util.function.UnaryOperator;

/** A claim as a cluster may show it. Immutable: each method returns a changed copy. */
public final class ClaimSample {

  private final PersistentVolumeClaim claim;

  private ClaimSample(PersistentVolumeClaim claim) {
    this.claim = claim;
  }

  /** The bound claim of {@link NodeSample#aNode}. */
  public static ClaimSample aClaim() {
    return new ClaimSample(
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName("data-node")
            .withUid("claim")
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .withNewStatus()
            .withPhase("Bound")
            .endStatus()
            .build());
  }

  /** The size that the spec requests. */
  public ClaimSample requests(String size) {
    return edit(
        claim ->
            claim
                .editSpec()
                .withNewResources()
                .addToRequests("storage", new Quantity(size))
                .endResources()
                .endSpec());
  }

  /** The size that the volume has. */
  public ClaimSample capacity(String size) {
    return edit(
        claim -> claim.editStatus().addToCapacity("storage", new Quantity(size)).endStatus());
  }

  public ClaimSample storageClass(String name) {
    return edit(claim -> claim.editSpec().withStorageClassName(name).endSpec());
  }

  public ClaimSample phase(String phase) {
    return edit(claim -> claim.editStatus().withPhase(phase).endStatus());
  }

  public ClaimSample annotation(String key, String value) {
    return edit(claim -> claim.editMetadata().addToAnnotations(key, value).endMetadata());
  }

  public ClaimSample created(String at) {
    return edit(claim -> claim.editMetadata().withCreationTimestamp(at).endMetadata());
  }

  /** Adds a condition that is True. */
  public ClaimSample condition(String type, String message) {
    return condition(type, message, null);
  }

  /** Adds a condition that has been True since then. */
  public ClaimSample condition(String type, String message, Instant since) {
    return edit(
        claim ->
            claim
                .editStatus()
                .addToConditions(
                    new PersistentVolumeClaimConditionBuilder()
                        .withType(type)
                        .withStatus("True")
                        .withMessage(message)
                        .withLastTransitionTime(since == null ? null : since.toString())
                        .build())
                .endStatus());
  }

  /** The stage of a resize, as the driver's resizer and the kubelet report it. */
  public ClaimSample resizeStage(String stage) {
    return edit(
        claim -> claim.editStatus().addToAllocatedResourceStatuses("storage", stage).endStatus());
  }

  /** Another change, for what has no method here. */
  public ClaimSample edit(UnaryOperator<PersistentVolumeClaimBuilder> change) {
    return new ClaimSample(change.apply(new PersistentVolumeClaimBuilder(claim)).build());
  }

  public PersistentVolumeClaim build() {
    return new PersistentVolumeClaimBuilder(claim).build();
  }
}
