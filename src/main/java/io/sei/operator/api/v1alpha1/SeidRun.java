package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * State of seid that a fleet needs beyond the pod's readiness: whether it has caught up, is down,
 * or crashed after it had been Ready. Written when one of these changes, and at no other time.
 */
@RecordBuilder
public record SeidRun(
    @JsonPropertyDescription("UID of the pod.") String podUid,
    @JsonPropertyDescription("ID of the container's last run that was Ready.") String containerID,
    @JsonPropertyDescription("Time since which that run has been Ready; unset while it is not.")
        Instant readyAt,
    @JsonPropertyDescription(
            "Time at which that run's RPC reported that it has caught up, with a block "
                + "newer than the run and above the height before it; unset while it is not "
                + "Ready.")
        Instant caughtUpAt,
    @JsonPropertyDescription(
            "The newest block the node was known to have when it caught up, or ceased to be Ready.")
        Long height,
    @JsonPropertyDescription("True while seid is known not to run.") Boolean down,
    @JsonPropertyDescription(
            "Time at which a run in this pod that had been Ready was first seen to have "
                + "crashed.")
        Instant crashedAt,
    @JsonPropertyDescription("Description of the last crash of a run that had been Ready.")
        String crash,
    @JsonPropertyDescription("Cause of that crash, as a reason of the condition Stalled.")
        String crashReason)
    implements SeidRunBuilder.With {

  private static final SeidRun NOTHING = SeidRunBuilder.builder().build();

  /** Returns the state of a pod that was not observed yet. */
  public static SeidRun nothing() {
    return NOTHING;
  }

  /** Returns this state with no pod that it is of, so that the next observed run is a new one. */
  public SeidRun ofNoPod() {
    return withPodUid("");
  }

  /** Returns what remains valid without the pod. */
  public SeidRun withoutPod() {
    return NOTHING.withHeight(height);
  }
}
