package io.sei.operator.fleet.snapshots;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotBuilder;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObservedSnapshotTest {

  private static final Map<String, String> OURS = Map.of("fleet", "rpc");

  @Test
  void nothingIsKnownOfANewOne() {
    assertThat(ObservedSnapshot.of(new VolumeSnapshotBuilder(labelled()).build(), OURS))
        .isEqualTo(new ObservedSnapshot(true, false, null, false, null));
    assertThat(ObservedSnapshot.of(labelled(), Map.of("fleet", "other")).ours()).isFalse();
  }

  @Test
  void driverSaysWhenItWasTaken() {
    VolumeSnapshot taken =
        new VolumeSnapshotBuilder(labelled())
            .withNewStatus()
            .withCreationTime("2026-06-01T10:00:00Z")
            .withReadyToUse(true)
            .endStatus()
            .build();

    assertThat(ObservedSnapshot.of(taken, OURS))
        .isEqualTo(
            new ObservedSnapshot(true, false, Instant.parse("2026-06-01T10:00:00Z"), true, null));
  }

  @ParameterizedTest
  @CsvSource({
    "no space left, no space left",
    ", no message",
    // createSnapshotContent in external-snapshotter v8.7.0 (ensurePVCFinalizer).
    "'Failed to create snapshot content with error snapshot controller failed to update data-rpc-1"
        + " on API server: Operation cannot be fulfilled on persistentvolumeclaims \"data-rpc-1\":"
        + " the object has been modified; please apply your changes to the latest version',",
  })
  void conflictIsNoError(String message, String error) {
    VolumeSnapshot failed =
        new VolumeSnapshotBuilder(labelled())
            .withNewStatus()
            .withNewError(message, null)
            .endStatus()
            .build();

    assertThat(ObservedSnapshot.of(failed, OURS).error()).isEqualTo(error);
  }

  private static VolumeSnapshot labelled() {
    return new VolumeSnapshotBuilder().withNewMetadata().addToLabels(OURS).endMetadata().build();
  }
}
