package io.sei.operator.api.v1alpha1;

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
    @JsonPropertyDescription("What seid said when it halted.") String evidence,
    @JsonPropertyDescription("UID of the claim whose data it was applied to.") String claimUid)
    implements UpgradeStatusBuilder.With {

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
