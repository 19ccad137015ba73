package io.sei.operator.fleet.snapshots;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.sei.operator.render.Annotations;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotRetentionTest {

  private static final List<String> ORDER = List.of("first", "second", "third", "fourth", "fifth");

  @Test
  void newestThatAreReadyAreKept() {
    List<VolumeSnapshot> ours =
        List.of(
            snapshot("second", "2026-06-02T03:00:00Z", true),
            snapshot("fourth", "2026-06-04T03:00:00Z", true),
            snapshot("first", "2026-06-01T03:00:00Z", true),
            snapshot("third", "2026-06-03T03:00:00Z", true),
            snapshot("torso", "2026-06-05T03:00:00Z", false),
            snapshot("stillborn", null, false));

    assertThat(SnapshotRetention.surplus(ours, 2))
        .extracting(snapshot -> snapshot.getMetadata().getName())
        .containsExactlyInAnyOrder("first", "second", "torso", "stillborn");
  }

  @Test
  void oneThatIsMarkedAsBadDoesNotCountAndIsLeft() {
    VolumeSnapshot bad = snapshot("third", "2026-06-03T03:00:00Z", true);
    bad.getMetadata().setAnnotations(Map.of(Annotations.BAD_DATA, "node a died of DataCorrupt"));
    List<VolumeSnapshot> ours =
        List.of(
            bad,
            snapshot("first", "2026-06-01T03:00:00Z", true),
            snapshot("second", "2026-06-02T03:00:00Z", true));

    assertThat(SnapshotRetention.surplus(ours, 1))
        .extracting(snapshot -> snapshot.getMetadata().getName())
        .containsExactly("first");
  }

  @Test
  void claimWithoutAVolumeNeedsItsSnapshot() {
    assertThat(
            SnapshotRetention.needed(
                List.of(claim("bound", "Bound"), claim("pending", "Pending"), claim("new", null))))
        .containsExactlyInAnyOrder("pending", "new");
  }

  private static VolumeSnapshot snapshot(String name, String taken, boolean ready) {
    return yaml(
        VolumeSnapshot.class,
        """
        metadata: {name: %1$s, uid: %1$s, creationTimestamp: %2$s}
        status: {creationTime: %2$s, readyToUse: %3$s}
        """,
        name,
        taken,
        ready);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1970-01-01T00:00:00Z", "1754-08-30T22:43:41Z", "2099-01-01T00:00:00Z"})
  @NullSource
  void theClockOfTheDriverDoesNotDecideWhatIsKept(String ofTheDriver) {
    List<VolumeSnapshot> ours =
        ORDER.stream().map(name -> snapshot(name, dayOf(name), true)).toList();
    ours.forEach(snapshot -> snapshot.getStatus().setCreationTime(ofTheDriver));

    assertThat(SnapshotRetention.surplus(ours, 3))
        .extracting(snapshot -> snapshot.getMetadata().getName())
        .containsExactlyInAnyOrder("first", "second");
  }

  private static String dayOf(String name) {
    return "2026-06-0%dT03:00:00Z".formatted(1 + ORDER.indexOf(name));
  }

  private static PersistentVolumeClaim claim(String source, String phase) {
    return yaml(
        PersistentVolumeClaim.class,
        """
        spec: {dataSource: {kind: VolumeSnapshot, apiGroup: snapshot.storage.k8s.io, name: %s}}
        status: {phase: %s}
        """,
        source,
        phase);
  }
}
