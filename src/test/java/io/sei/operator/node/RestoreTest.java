package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.SidecarTask;
import io.sei.operator.testkit.TestSnapshots;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node's claim is made from a VolumeSnapshot. */
class RestoreTest extends ValidatorTestCase {

  private static final String CHAIN = "atlantic-2";
  private static final String UPGRADE = "{'name':'v2','height':1000,'image':'%s'}".formatted(B);

  @Test
  void goesOnWithTheDataAndTheImageOfTheNewestButAsANodeOfItsOwn() {
    create("source", spec(A));
    awaitRunning("source");
    snapshots().create(TestSnapshots.ready(TestSnapshots.of("old", CHAIN, B), Instant.EPOCH));
    snapshots().create(TestSnapshots.ready(TestSnapshots.of("new", CHAIN, B), Instant.now()));
    sidecar.takeSnapshot(namespace, "source", "new");
    var selector = new DataVolume.SnapshotSelector(Map.of(Labels.CHAIN, CHAIN), null);

    create(from(new DataVolume.SnapshotSource(null, selector, null)));

    eventually(
        () -> {
          assertCondition(
              NodeConditionType.DATA_VOLUME_RESTORED,
              ConditionStatus.FALSE,
              NodeReason.SNAPSHOT_REFUSED);
          assertThat(condition(NodeConditionType.DATA_VOLUME_RESTORED).message())
              .contains("none of 2", "VolumeSnapshot new", B, "spec.upgrades");
          assertThat(statefulSet()).isNull();
        });
    patch("{'spec':{'upgrades':[%s]}}".formatted(UPGRADE));

    awaitUpToDate(B);
    assertThat(claim().getSpec().getDataSource().getName()).isEqualTo("new");
    assertThat(claim().getSpec().getResources().getRequests())
        .containsEntry("storage", new Quantity("20Gi"));
    assertThat(images()).containsExactly(B);
    assertThat(node().getStatus().restoredFrom().height()).isEqualTo(1200);
    assertThat(node().getStatus().upgrades())
        .singleElement()
        .matches(upgrade -> upgrade.isApplied());
    assertCondition(NodeConditionType.DATA_VOLUME_RESTORED, ConditionStatus.TRUE);
    assertThat(tasks())
        .as("nothing of the source's, and no state sync")
        .containsExactly(
            "configure-genesis", "config-apply", "config-apply", "config-validate", "mark-ready");
    assertThat(sidecar.home(namespace, NODE).markers())
        .doesNotContain(".sei-sidecar-statesync-done");

    patch("{'spec':{'dataResetGeneration':1}}");

    eventually(() -> assertThat(node().getStatus().dataReset().completedAt()).isNotNull());
    assertThat(tasks()).contains(SidecarTaskTypes.CONFIGURE_STATE_SYNC);
  }

  @Tag("long")
  @Test
  void waitsForTheOneThatIsNamedWithoutAPod() {
    create(from(named("late")));

    eventually(
        () -> {
          assertCondition(
              NodeConditionType.DATA_VOLUME_RESTORED,
              ConditionStatus.FALSE,
              NodeReason.SNAPSHOT_NOT_FOUND);
          assertCondition(
              NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.VOLUME_PENDING);
          assertThat(condition(NodeConditionType.STALLED).message())
              .contains("VolumeSnapshot late does not exist");
        });
    VolumeSnapshot late = snapshots().create(TestSnapshots.of("late", CHAIN, A));
    awaitAnotherLook();
    eventually(
        () ->
            assertCondition(
                NodeConditionType.DATA_VOLUME_RESTORED,
                ConditionStatus.FALSE,
                NodeReason.SNAPSHOT_NOT_READY));
    assertThat(claim()).isNull();
    assertThat(images()).isEmpty();
    late.setStatus(
        TestSnapshots.ready(TestSnapshots.of("late", CHAIN, A), Instant.now()).buildStatus());
    client.resource(late).updateStatus();
    awaitAnotherLook();

    awaitUpToDate(A);
    String first = claim().getMetadata().getUid();
    assertThat(node().getStatus().restoredFrom().uid()).isEqualTo(late.getMetadata().getUid());

    client.resource(claim()).delete();
    client.resource(pod()).delete();

    eventually(() -> assertThat(claim().getMetadata().getUid()).isNotEqualTo(first));
    awaitUpToDate(A);
    assertThat(claim().getSpec().getDataSource().getName()).isEqualTo("late");
  }

  @Test
  void validatorIsRefusedUntilTheLossOfWhatItSignedIsAccepted() {
    put(ThrowAwayKeys.signingKey(KEY));
    put(ThrowAwayKeys.nodeKey("identity-" + NODE));
    VolumeSnapshot snapshot =
        snapshots().create(TestSnapshots.ready(TestSnapshots.of("new", CHAIN, A), Instant.now()));

    create(NODE, spec(keysOf(NODE)).withDataVolume(from(named("new")).dataVolume()));

    awaitSays(NODE, NodeConditionType.STALLED, "True/" + StallReason.SIGNING_STATE_UNKNOWN);
    assertThat(condition(NodeConditionType.STALLED).message()).contains("VolumeSnapshot new");
    assertThat(claim()).isNull();
    patch(
        "{'spec':{'validator':{'acceptSigningStateLoss':'%s'}}}"
            .formatted(snapshot.getMetadata().getUid()));

    awaitRunning(NODE);
    assertThat(claim().getSpec().getDataSource().getName()).isEqualTo("new");
  }

  @Test
  void oneThatANodeDiesOfIsMarkedAndNoOtherNodeIsMadeOfIt() {
    snapshots().create(TestSnapshots.ready(TestSnapshots.of("bad", CHAIN, A), Instant.now()));
    SeidDeaths.Death death =
        SeidDeaths.causes()
            .filter(cause -> cause.reason() == StallReason.DATA_CORRUPT)
            .findFirst()
            .orElseThrow();
    kubelet.injectForImage(A, death.fault());

    create(from(named("bad")));

    eventually(
        () ->
            assertThat(read(VolumeSnapshot.class, "bad").getMetadata().getAnnotations())
                .extractingByKey(Annotations.BAD_DATA)
                .asString()
                .startsWith("node node died of DataCorrupt: " + death.line()));
    awaitSays(NODE, NodeConditionType.STALLED, "True/" + StallReason.DATA_CORRUPT);
    kubelet.clearImage(A);

    create("next", from(named("bad")));

    awaitSays(
        "next", NodeConditionType.DATA_VOLUME_RESTORED, "False/" + NodeReason.SNAPSHOT_REFUSED);
  }

  private static SeiNodeSpec from(DataVolume.SnapshotSource source) {
    var stateSync = new Snapshot(null, new Snapshot.StateSync(), null, null, null);
    var peers =
        new PeerSource.StaticPeers(
            List.of(
                "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1",
                "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:1"));
    return spec(A)
        .with(
            builder ->
                builder
                    .fullNode(new FullNode(stateSync, null))
                    .peers(List.of(new PeerSource(null, peers, null)))
                    .dataVolume(
                        new DataVolume(null, null, null, new DataVolume.From(source), null)));
  }

  private static DataVolume.SnapshotSource named(String name) {
    return new DataVolume.SnapshotSource(name, null, "24h");
  }

  private TestSnapshots snapshots() {
    return new TestSnapshots(client, namespace);
  }

  private List<String> tasks() {
    return sidecar.tasks(namespace, NODE).stream().map(SidecarTask::type).toList();
  }

  private PersistentVolumeClaim claim() {
    return read(PersistentVolumeClaim.class, "data-" + NODE);
  }
}
