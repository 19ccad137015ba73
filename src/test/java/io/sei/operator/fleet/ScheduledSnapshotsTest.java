package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetDataVolume;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SnapshotStop;
import io.sei.operator.testkit.SnapshotController;
import io.sei.operator.testkit.SnapshotController.Driver;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots on a schedule: of a node that is stopped, and never for longer than it takes. */
@Order(1)
class ScheduledSnapshotsTest extends FleetTestCase {

  private SnapshotController driver;

  @BeforeEach
  void startDriver() {
    driver = new SnapshotController(client, namespace, Driver.TAKES);
  }

  @AfterEach
  void stopDriver() {
    driver.close();
  }

  @Test
  void snapshotIsTakenOfAStoppedNodeWhichRunsAgain() {
    createScheduled(2, SnapshotController.CLASS);

    try (var watch = new FleetWatch(client, namespace)) {
      becomeDue();

      awaitSnapshots(1);
      awaitUpToDate(2, A);
      assertThat(watch.statuses()).allSatisfy(GitOpsTest::assertColumnsAgree);
    }
    VolumeSnapshot first = snapshots().get(0);
    assertThat(first.getMetadata().getName()).matches("fleet-1-[0-9]{12}");
    assertThat(first.getMetadata().getLabels())
        .containsAllEntriesOf(
            Map.of(
                "sei.io/chain", "atlantic-2",
                "sei.io/nodedeployment", "fleet",
                "sei.io/node", "fleet-1",
                "app.kubernetes.io/managed-by", "sei-operator"));
    assertThat(first.getMetadata().getAnnotations()).containsEntry(Annotations.IMAGE, A);
    assertThat(first.getMetadata().getOwnerReferences()).isEmpty();
    assertThat(first.getSpec().getSource().getPersistentVolumeClaimName())
        .isEqualTo("data-fleet-1");
    assertThat(podImages(1)).containsExactly(A, A);
    assertThat(podImages(0)).containsExactly(A);
    assertThat(status().snapshots().latest().name()).isEqualTo(first.getMetadata().getName());
    awaitEvents("SnapshotTaken", 1);
    assertThat(events(FLEET, "SnapshotStarted")).hasSize(1);
    assertThat(eventsOf(FLEET + "-1")).noneMatch(event -> event.getReason().equals("Stalled"));
    assertThat(node(1).getMetadata().getAnnotations()).doesNotContainKey(Annotations.STOPPED_UNTIL);
  }

  @Test
  @Tag("long")
  void errorThatGoesAwayIsWaitedFor() {
    driver.become(Driver.IS_FULL);
    createScheduled(1, SnapshotController.RETAINING_CLASS);
    becomeDue();
    eventually(() -> assertThat(healthy()).contains("so far: ", "no space left"));

    driver.become(Driver.TAKES);

    awaitSnapshots(1);
    awaitUpToDate(1, A);
    assertThat(podImages(0)).containsExactly(A, A);
    assertThat(events(FLEET, "SnapshotFailed")).isEmpty();
    assertThat(healthy()).contains("VolumeSnapshotClass retains has deletionPolicy Retain");
    awaitEvents("SnapshotsRetained", 1);
  }

  @Test
  @Tag("long")
  void driverThatAlwaysFailsStopsNoNodeASecondTimeUntilItIsAskedFor() {
    driver.become(Driver.IS_FULL);
    createScheduled(1, SnapshotController.CLASS);
    becomeDue();
    eventually(() -> assertThat(healthy()).contains("no space left"));
    operator.clock().jumpTo(SnapshotStop.LONGEST);
    awaitFailure("no space left");
    awaitUpToDate(1, A);
    assertThat(names()).isEmpty();
    awaitEvents("SnapshotFailed", 1);
    assertThat(status().snapshots().lastScheduleTime()).isNotNull();

    becomeDue();

    stays(() -> assertThat(podImages(0)).containsExactly(A, A));
    assertThat(healthy()).contains("no space left", "annotation sei.io/retry");
    driver.become(Driver.TAKES);
    patch("{'metadata':{'annotations':{'sei.io/retry':'again'}}}");
    awaitSnapshots(1);
    awaitUpToDate(1, A);
    assertThat(podImages(0)).containsExactly(A, A, A);
  }

  @Test
  @Tag("long")
  void nodeStartsByItselfWhenTheDriverNeverAnswers() {
    driver.become(Driver.IS_SILENT);
    createScheduled(1, SnapshotController.CLASS);
    becomeDue();
    eventually(() -> assertThat(names()).hasSize(1));

    operator.clock().jumpTo(SnapshotStop.LONGEST);

    awaitFailure("was not taken while the node was stopped");
    awaitUpToDate(1, A);
    assertThat(names()).isEmpty();
    assertThat(eventsOf(FLEET + "-0")).noneMatch(event -> event.getReason().equals("Stalled"));
  }

  @Test
  @Tag("long")
  void noNodeIsStoppedForAClassThatDoesNotExist() {
    createScheduled(1, "no-such-class");

    becomeDue();

    eventually(
        () ->
            assertCondition(
                FleetConditionType.SNAPSHOTS_HEALTHY,
                ConditionStatus.FALSE,
                FleetReason.SNAPSHOT_CLASS_NOT_FOUND));
    assertThat(podImages(0)).containsExactly(A);
  }

  @Test
  @Tag("long")
  void fleetThatIsPausedMeanwhileKeepsItsSnapshotAndItsPause() {
    driver.become(Driver.IS_SILENT);
    createScheduled(1, SnapshotController.CLASS);
    becomeDue();
    eventually(() -> assertThat(names()).hasSize(1));

    patch("{'spec':{'paused':true}}");
    eventually(() -> assertThat(node(0).getSpec().paused()).isTrue());
    driver.become(Driver.TAKES);

    awaitSnapshots(1);
    assertThat(podImages(0)).containsExactly(A);

    patch("{'spec':{'paused':false}}");
    awaitUpToDate(1, A);
    assertThat(podImages(0)).containsExactly(A, A);
  }

  @Test
  @Tag("long")
  void nodeThatOutlivesItsFleetStarts() {
    driver.become(Driver.IS_SILENT);
    createScheduled(1, SnapshotController.CLASS);
    patch("{'spec':{'deletionPolicy':'Retain'}}");
    eventually(() -> assertThat(fleet().getMetadata().getFinalizers()).isNotEmpty());
    becomeDue();
    eventually(() -> assertThat(names()).hasSize(1));

    client.resource(fleet()).delete();

    eventually(() -> assertThat(fleet()).isNull());
    eventually(
        () -> {
          assertThat(node(0).getMetadata().getAnnotations())
              .doesNotContainKey(Annotations.STOPPED_UNTIL);
          assertThat(node(0).getStatus().phase()).isEqualTo(NodePhase.RUNNING);
          assertThat(podImages(0)).containsExactly(A, A);
        });
    assertThat(names()).isEmpty();
  }

  private void createScheduled(int replicas, String className) {
    var yearly = new Snapshots("0 0 1 1 *", className, null, null);
    create(fleetSpec(replicas, A).withDataVolume(new FleetDataVolume(yearly)));
    awaitUpToDate(replicas, A);
    eventually(() -> assertThat(status().snapshots().nextScheduleTime()).isNotNull());
  }

  private void becomeDue() {
    SnapshotController.makeDue(client, fleet());
  }

  private String healthy() {
    return condition(FleetConditionType.SNAPSHOTS_HEALTHY).message();
  }

  private void awaitSnapshots(int count) {
    eventually(
        () -> {
          FleetSnapshots record = status().snapshots();
          assertThat(record.active()).isNull();
          assertThat(record.latest()).isNotNull();
          assertCondition(
              FleetConditionType.SNAPSHOTS_HEALTHY,
              ConditionStatus.TRUE,
              FleetReason.SNAPSHOT_TAKEN);
          assertThat(events(FLEET, "SnapshotTaken")).hasSize(count);
        });
  }

  private void awaitFailure(String why) {
    eventually(
        () -> {
          FleetSnapshots record = status().snapshots();
          assertThat(record.active()).isNull();
          assertThat(record.failures()).isEqualTo(1);
          assertThat(record.message()).contains(why);
          assertCondition(
              FleetConditionType.SNAPSHOTS_HEALTHY,
              ConditionStatus.FALSE,
              FleetReason.SNAPSHOT_FAILED);
        });
  }

  private List<VolumeSnapshot> snapshots() {
    return readAll(VolumeSnapshot.class);
  }

  private List<String> names() {
    return snapshots().stream().map(snapshot -> snapshot.getMetadata().getName()).sorted().toList();
  }
}
