package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.SnapshotController;
import io.sei.operator.testkit.SnapshotController.Driver;
import java.time.Instant;
import java.util.List;

/** A snapshot is due, for which one of a fleet's two nodes is stopped. */
final class ScheduledSnapshot extends FleetScenario {

  private static final String IMAGE = "sei:a";

  private int rounds;

  ScheduledSnapshot(World world) {
    super(world);
  }

  @Override
  public void prepare() {
    // Goes with the control plane.
    new SnapshotController(world.client(), world.namespace(), Driver.TAKES);
    create(IMAGE);
    patch(
        "{'spec':{'dataVolume':{'snapshots':{'schedule':'0 0 1 1 *','volumeSnapshotClassName':'%s'}}}}"
            .formatted(SnapshotController.CLASS));
    World.eventually(() -> assertThat(record().nextScheduleTime()).isNotNull());
  }

  @Override
  public void begin() {
    rounds++;
    SnapshotController.makeDue(world.client(), fleet());
  }

  @Override
  public void assertDone() {
    assertThat(record().active()).isNull();
    assertThat(record().nextScheduleTime()).isAfter(Instant.now());
    assertThat(record().latest()).isNotNull();
    assertFleetOf(2, IMAGE);
  }

  @Override
  public void assertSound() {
    assertThat(record().failures()).as("%s", record().message()).isNull();
    assertThat(snapshots())
        .singleElement()
        .satisfies(
            snapshot -> {
              assertThat(snapshot.getMetadata().getName()).isEqualTo(record().latest().name());
              assertThat(snapshot.getStatus().getReadyToUse()).isTrue();
            });
    assertThat(world.pods(FIRST)).hasSize(1);
    assertThat(world.pods(SECOND)).hasSize(1 + rounds);
    assertThat(world.node(SECOND).getMetadata().getAnnotations())
        .doesNotContainKey(Annotations.STOPPED_UNTIL);
  }

  /** The next round's would have the same name: it is due for the same time. */
  @Override
  public void tidy() {
    snapshots().forEach(snapshot -> world.client().resource(snapshot).delete());
    World.eventually(() -> assertThat(snapshots()).isEmpty());
  }

  private FleetSnapshots record() {
    return fleet().getStatus().snapshots();
  }

  private List<VolumeSnapshot> snapshots() {
    return world
        .client()
        .resources(VolumeSnapshot.class)
        .inNamespace(world.namespace())
        .list()
        .getItems();
  }
}
