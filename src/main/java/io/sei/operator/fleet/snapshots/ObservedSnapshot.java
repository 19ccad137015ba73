package io.sei.operator.fleet.snapshots;

import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotStatus;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A VolumeSnapshot as its driver left it.
 *
 * @param ours whether this operator made it for the fleet in question
 * @param creationTime when the storage took it; null as long as it has not
 * @param ready whether a volume can be made from it
 * @param error what the driver or the snapshot controller says is wrong; null if nothing is
 */
record ObservedSnapshot(
    boolean ours, boolean deleting, Instant creationTime, boolean ready, String error) {

  /**
   * Text of a conflict, which the snapshot controller reports as an error and retries at once: it
   * adds a finalizer to the claim just when Kubernetes records there that its pod is gone.
   */
  private static final String CONFLICT = "the object has been modified";

  static ObservedSnapshot of(VolumeSnapshot snapshot, Map<String, String> labels) {
    Optional<VolumeSnapshotStatus> status = Optional.ofNullable(snapshot.getStatus());
    Map<String, String> found = snapshot.getMetadata().getLabels();
    return new ObservedSnapshot(
        found != null && found.entrySet().containsAll(labels.entrySet()),
        snapshot.isMarkedForDeletion(),
        status.map(VolumeSnapshotStatus::getCreationTime).map(Instant::parse).orElse(null),
        status.map(VolumeSnapshotStatus::getReadyToUse).orElse(false),
        status
            .map(VolumeSnapshotStatus::getError)
            .map(error -> error.getMessage() == null ? "no message" : error.getMessage())
            .filter(text -> !text.contains(CONFLICT))
            .orElse(null));
  }
}
