package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/** An upgrade of a node: listed, or applied to its volume. */
@RecordBuilder
public record UpgradeStatus(
    String name,
    @JsonPropertyDescription("Once applied, the height that the chain said.") Long height,
    String image,
    UpgradeState state,
    @JsonPropertyDescription(
            "spec.image when the upgrade was applied. While spec.image is this, the node runs the"
                + " upgrade's image.")
        String supersededImage,
    Instant reachedAt,
    @JsonPropertyDescription(
            "Why the image was switched: what seid said when it halted, or the height that the"
                + " volume starts at. Of an upgrade that is not applied: why its image was taken"
                + " back.")
        String evidence,
    @JsonPropertyDescription("UID of the claim whose data it was applied to.") String claimUid)
    implements UpgradeStatusBuilder.With {

  /** Whether the volume has been through it. */
  @JsonIgnore
  public boolean isApplied() {
    return state == UpgradeState.APPLIED;
  }

  /** Whether its image ran on the volume, came too early, and was taken back. */
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
}
