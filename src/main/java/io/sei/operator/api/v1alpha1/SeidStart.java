package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * The start of seid in a pod that was made, or given another image: from then until it listens, or
 * has its state where it syncs one. A run that the kubelet begins again by itself has none.
 */
@RecordBuilder
public record SeidStart(
    @JsonPropertyDescription("ID of the container's run that starts.") String containerID,
    @JsonPropertyDescription("Time at which every prerequisite of the run was met.") Instant since,
    @JsonPropertyDescription("Time at which it was first seen to listen, or to have ended.")
        Instant until,
    @JsonPropertyDescription("Activity of seid by its log.") String busyWith,
    @JsonPropertyDescription("Time at which its log was last read.") Instant seenAt)
    implements SeidStartBuilder.With {

  /** Returns whether seid no longer starts. */
  public boolean hasEnded() {
    return until != null;
  }

  /** Returns whether this is about a run. */
  public boolean isOf(String otherContainerID) {
    return containerID != null && containerID.equals(otherContainerID);
  }
}
