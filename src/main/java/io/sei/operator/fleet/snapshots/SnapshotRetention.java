package io.sei.operator.fleet.snapshots;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.sei.operator.base.Times;
import io.sei.operator.render.Annotations;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** PURE: which of a fleet's own snapshots are kept. */
final class SnapshotRetention {

  private SnapshotRetention() {}

  /**
   * Returns all but the newest ready snapshots: one that is not ready by now never will be. One
   * that is marked as bad does not count, and is left to the person who looks into it. The order is
   * that in which they were created here; drivers were seen to report 1970 or one time for all
   * (longhorn#13203).
   */
  static List<VolumeSnapshot> surplus(List<VolumeSnapshot> ours, int keep) {
    Set<String> kept =
        ours.stream()
            .filter(snapshot -> ObservedSnapshot.of(snapshot, Map.of()).ready() && !isBad(snapshot))
            .sorted(
                Comparator.<VolumeSnapshot, Instant>comparing(SnapshotRetention::createdAt)
                    .thenComparing(snapshot -> snapshot.getMetadata().getName())
                    .reversed())
            .limit(keep)
            .map(snapshot -> snapshot.getMetadata().getUid())
            .collect(Collectors.toSet());
    return ours.stream()
        .filter(snapshot -> !snapshot.isMarkedForDeletion())
        .filter(snapshot -> !kept.contains(snapshot.getMetadata().getUid()) && !isBad(snapshot))
        .toList();
  }

  private static Instant createdAt(VolumeSnapshot snapshot) {
    return Times.parse(snapshot.getMetadata().getCreationTimestamp()).orElse(Instant.EPOCH);
  }

  private static boolean isBad(VolumeSnapshot snapshot) {
    return Annotations.of(snapshot, Annotations.BAD_DATA).isPresent();
  }

  /** The snapshots that claims without a volume are waiting for. */
  static Set<String> needed(List<PersistentVolumeClaim> claims) {
    return claims.stream()
        .filter(claim -> claim.getStatus() == null || !"Bound".equals(claim.getStatus().getPhase()))
        .flatMap(SnapshotRetention::sources)
        .collect(Collectors.toSet());
  }

  private static Stream<String> sources(PersistentVolumeClaim claim) {
    var source = claim.getSpec().getDataSource();
    var reference = claim.getSpec().getDataSourceRef();
    return Stream.of(
            source == null ? null : source.getName(),
            reference == null ? null : reference.getName())
        .filter(Objects::nonNull);
  }
}
