package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * What a fleet has to know of seid in a node's pod beyond whether it is Ready: that it has caught
 * up, that it is down, or that it crashed although it had been Ready. Written when one of these
 * changes, and at no other time.
 */
@RecordBuilder
public record SeidRun(
    @JsonPropertyDescription("UID of the pod.") String podUid,
    @JsonPropertyDescription("ID of the container's last run that was Ready.") String containerID,
    @JsonPropertyDescription("Since when that run has been Ready; unset while it is not.")
        Instant readyAt,
    @JsonPropertyDescription(
            "When that run's RPC said that it is caught up, with a block newer than the run and above"
                + " the height before it; unset while it is not Ready.")
        Instant caughtUpAt,
    @JsonPropertyDescription(
            "The newest block the node was known to have when it caught up, or ceased to be Ready.")
        Long height,
    @JsonPropertyDescription("True while seid is known not to run.") Boolean down,
    @JsonPropertyDescription(
            "When a run in this pod that had been Ready was first seen to have crashed.")
        Instant crashedAt,
    @JsonPropertyDescription("How the last such run ended.") String crash,
    @JsonPropertyDescription(
            "What the last such run died of, as a reason of the condition Stalled.")
        String crashReason)
    implements SeidRunBuilder.With {

  private static final SeidRun NOTHING = SeidRunBuilder.builder().build();

  /** Nothing is known. */
  public static SeidRun nothing() {
    return NOTHING;
  }

  /** What is left of this once the pod is gone. */
  public SeidRun withoutPod() {
    return NOTHING.withHeight(height);
  }
}
