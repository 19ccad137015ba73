package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/** State of the snapshots of a fleet's volumes. */
@RecordBuilder
public record FleetSnapshots(
    @JsonPropertyDescription("The schedule that nextScheduleTime was computed from.")
        String schedule,
    @JsonPropertyDescription("Time at which the next snapshot is due; in the past while it waits.")
        Instant nextScheduleTime,
    @JsonPropertyDescription("Scheduled time of the last snapshot that was begun.")
        Instant lastScheduleTime,
    @JsonPropertyDescription("The snapshot in progress; persisted before its node is stopped.")
        Run active,
    @JsonPropertyDescription("The newest snapshot that is ready to use.") Taken latest,
    @JsonPropertyDescription("Number of failed snapshots.") Integer failures,
    @JsonPropertyDescription("Reason of the last failure; unset once a snapshot succeeds.")
        String message,
    @JsonPropertyDescription(
            "Request during which the driver failed: no node is stopped again for the "
                + "same request.")
        Request suspended,
    @JsonPropertyDescription(
            "The VolumeSnapshotClass, if its deletionPolicy is Retain: what the storage has of"
                + " deleted snapshots stays.")
        String retainingClass)
    implements FleetSnapshotsBuilder.With {

  /** Phase of a snapshot. */
  public enum Phase {
    /** Its node's pod is stopping. */
    @JsonProperty("Stopping")
    STOPPING,
    /** The pod is gone; the VolumeSnapshot is created and has no creationTime yet. */
    @JsonProperty("Taking")
    TAKING,
    /** The node starts again, also if the snapshot failed. */
    @JsonProperty("Starting")
    STARTING,
    /** The node is back; the VolumeSnapshot is not ready to use yet. */
    @JsonProperty("Finishing")
    FINISHING
  }

  /** A snapshot in progress. */
  @RecordBuilder
  public record Run(
      @JsonPropertyDescription("The node whose volume it is of.") String node,
      @JsonPropertyDescription("Name of the VolumeSnapshot.") String snapshot,
      Phase phase,
      @JsonPropertyDescription("Time at which the stop began.") Instant stoppedAt,
      @JsonPropertyDescription("Time at which the operator starts the node again at the latest.")
          Instant deadline,
      @JsonPropertyDescription("Time at which the node was allowed to start again.")
          Instant startedAt,
      @JsonPropertyDescription("The height that the data has at least.") Long height,
      @JsonPropertyDescription("Time at which the storage took the snapshot.") Instant creationTime,
      @JsonPropertyDescription("Reason of the failure; the VolumeSnapshot is deleted.")
          String error,
      @JsonPropertyDescription("Whether the driver is what failed.") Boolean driverFailed,
      @JsonPropertyDescription("Request for which it was begun.") Request asked)
      implements FleetSnapshotsRunBuilder.With {

    /** Returns whether the node is unavailable for it, or has not come back yet. */
    public boolean needsNode() {
      return phase != Phase.FINISHING;
    }
  }

  /**
   * Request for a snapshot. After a failure of the driver, only a different request stops a node
   * again.
   */
  public record Request(
      @JsonPropertyDescription("spec.dataVolume.snapshots.") Snapshots snapshots,
      @JsonPropertyDescription("Value of the annotation sei.io/retry.") String retry) {}

  /** A snapshot that is ready to use. */
  public record Taken(String name, String node, Long height, Instant creationTime) {}

  /** Returns the state of a fleet that has taken no snapshot. */
  public static FleetSnapshots empty() {
    return FleetSnapshotsBuilder.builder().build();
  }
}
