package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/** An upgrade of a node: listed, or applied to its volume. */
@RecordBuilder
public record UpgradeStatus(
    String name,
    @JsonPropertyDescription("Once applied, the height that the chain reported.") Long height,
    String image,
    @JsonPropertyDescription(
            "Applied: the volume has been through it. Ready: its image is on the pod's machine."
                + " Passed: the height has passed without such a plan. Scheduled: else.")
        UpgradeState state,
    @JsonPropertyDescription(
            "Chain if the operator listed it by spec.upgradePolicy; unset if spec.upgrades does.")
        UpgradeSource source,
    @JsonPropertyDescription(
            "spec.image when the upgrade was applied. While spec.image is this, the node runs the"
                + " upgrade's image.")
        String supersededImage,
    Instant reachedAt,
    @JsonPropertyDescription(
            "Time at which the chain is expected to reach the height, to the minute; only "
                + "in the last hour.")
        Instant expectedAt,
    @JsonPropertyDescription(
            "Reason for which the image was switched: the panic of seid at its halt, or "
                + "the height at which the volume starts. Of an upgrade that is not applied: "
                + "the reason for which its image was taken back.")
        String evidence,
    @JsonPropertyDescription("UID of the claim whose data it was applied to.") String claimUid,
    @JsonPropertyDescription(
            "Image id to which the kubelet resolved the image when it was last pulled " + "ahead.")
        String imageID,
    @JsonPropertyDescription(
            "Image id to which the same image was resolved before; set if its tag was "
                + "moved since.")
        String previousImageID,
    @JsonPropertyDescription("The Kubernetes node that the image was pulled on.") String pulledOn,
    Instant pulledAt,
    @JsonPropertyDescription("Reason of the last failure to pull the image.") String pullError,
    @JsonPropertyDescription("Time of that failure.") Instant pullFailedAt,
    @JsonPropertyDescription(
            "Version of the seid in the image, as seid version prints it; \"unknown\" for a "
                + "build without one.")
        String seidVersion,
    @JsonPropertyDescription("Reason for which seid of the image cannot run or be asked.")
        String inspectionError,
    @JsonPropertyDescription(
            "Comparison of the node's files with the keys that releases up to this one require "
                + "or remove; unset if there are none.")
        UpgradeConfiguration configuration)
    implements UpgradeStatusBuilder.With {

  /** Returns whether the volume has been through it. */
  @JsonIgnore
  public boolean isApplied() {
    return state == UpgradeState.APPLIED;
  }

  /** Returns whether its image ran on the volume, came too early, and was taken back. */
  @JsonIgnore
  public boolean isWithdrawn() {
    return !isApplied() && evidence != null;
  }

  /** An upgrade that is listed and not applied. */
  public static UpgradeStatus scheduled(Upgrade listed) {
    return UpgradeStatusBuilder.builder()
        .name(listed.name())
        .height(listed.height())
        .image(listed.image())
        .state(UpgradeState.SCHEDULED)
        .build();
  }

  /** Returns whether it is yet to come, so that the node is prepared for it. */
  @JsonIgnore
  public boolean isAhead() {
    return state != UpgradeState.APPLIED;
  }

  /** Returns whether the node went past its height without it, and no plan of its name is left. */
  @JsonIgnore
  public boolean isPassed() {
    return state == UpgradeState.PASSED;
  }

  /** Returns a copy with the recorded pulls of its image; pulls of another image are dropped. */
  public UpgradeStatus pulledAs(UpgradeStatus recorded) {
    return image == null || !image.equals(recorded.image())
        ? this
        : with(
            builder ->
                builder
                    .state(recorded.isAhead() ? recorded.state() : state)
                    .imageID(recorded.imageID())
                    .previousImageID(recorded.previousImageID())
                    .pulledOn(recorded.pulledOn())
                    .pulledAt(recorded.pulledAt())
                    .pullError(recorded.pullError())
                    .pullFailedAt(recorded.pullFailedAt())
                    .seidVersion(recorded.seidVersion())
                    .inspectionError(recorded.inspectionError())
                    .configuration(recorded.configuration()));
  }

  /** Returns a copy whose image was pulled. */
  public UpgradeStatus pulled(String pulledImageId, String kubernetesNode, Instant now) {
    boolean moved = imageID != null && !imageID.equals(pulledImageId);
    return with(
        builder ->
            builder
                .imageID(pulledImageId)
                .previousImageID(moved ? imageID : previousImageID)
                .pulledOn(kubernetesNode)
                .pulledAt(now)
                .pullError(null)
                .pullFailedAt(null));
  }

  /**
   * Returns a copy whose image was inspected.
   *
   * @param version of its seid; null if it has not said so
   * @param problem null if there is none
   */
  public UpgradeStatus inspected(String version, String problem) {
    return with(builder -> builder.seidVersion(version).inspectionError(problem));
  }

  /** Returns a copy with a failed pull. */
  public UpgradeStatus notPulled(String why, Instant now) {
    return with(builder -> builder.pullError(why).pullFailedAt(now));
  }

  /** Returns a copy for a pod on a given Kubernetes node: ready if the image is there. */
  public UpgradeStatus on(String kubernetesNode) {
    boolean isThere = imageID != null && kubernetesNode.equals(pulledOn);
    return isAhead() ? withState(isThere ? UpgradeState.READY : UpgradeState.SCHEDULED) : this;
  }
}
