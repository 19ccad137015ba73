package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/** A run of seid that began before the configuration was written which its files have now. */
@RecordBuilder
public record UnreadConfig(
    @JsonPropertyDescription("UID of the pod that seid runs in.") String podUid,
    @JsonPropertyDescription("ID of the container's run.") String containerID,
    @JsonPropertyDescription("When the sidecar found the new configuration valid.") Instant since,
    @JsonPropertyDescription(
            "ID of the sidecar's task that ends this run; unset where nothing does, or its pod is"
                + " deleted.")
        String restart,
    @JsonPropertyDescription("When that was accepted, after which it is not asked for again.")
        Instant askedAt)
    implements UnreadConfigBuilder.With {

  /** Whether this is about a run. */
  public boolean isOf(String otherPodUid, String otherContainerID) {
    return podUid != null
        && podUid.equals(otherPodUid)
        && containerID != null
        && containerID.equals(otherContainerID);
  }
}
