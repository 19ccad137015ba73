package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A SeiNode is deleted without what belongs to it, and applied again: its status is gone. */
class OrphanedNodeTest extends ConfigTestCase {

  static Stream<String> retained() {
    return Cases.of(
        1,
        "'fullNode':{},'dataVolume':{'onDelete':'Retain'}",
        "'fullNode':{'snapshot':{'s3':{'targetHeight':1000},'bootstrapImage':'sei:boot'}},"
            + BootstrapTestCase.PEERS);
  }

  @ParameterizedTest
  @MethodSource("retained")
  void runningNodeIsAdoptedAsItIs(String fields) {
    create(specOf(fields));
    awaitUpToDate(A);
    List<String> tasks = submitted();
    String statefulSet = statefulSet().getMetadata().getUid();
    orphan();

    create(specOf(fields));

    awaitUpToDate(A);
    awaitOwned();
    stays(() -> assertThat(submitted()).isEqualTo(tasks));
    assertThat(statefulSet().getMetadata().getUid()).isEqualTo(statefulSet);
    assertThat(kubelet.history(namespace, POD)).hasSize(1);
    assertThat(node().getStatus().planHistory()).isNull();
  }

  @Tag("long")
  @Test
  void nodeThatIsNotReadyIsAdoptedAsItIsAndRolls() {
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create(spec(A));
    awaitCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE, "UpToDate");
    int tasks = submitted().size();
    orphan();
    kubelet.clear(namespace, POD);

    create(spec(B));

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
    assertThat(submittedAfter(tasks))
        .as("of an update, which keeps the files")
        .hasSize(3)
        .first()
        .asString()
        .startsWith("config-apply {\"incremental\":true");
  }

  @Tag("long")
  @Test
  void podThatWaitsForItsSidecarIsStartedOnTheDataOfTheOneBefore() {
    createRunning();
    int tasks = submitted().size();
    operator.stop();
    orphan();
    client.pods().inNamespace(namespace).withName(POD).delete();
    eventually(() -> assertThat(images()).hasSize(2));

    create(spec(A));
    operator.start();

    awaitUpToDate(A);
    assertThat(submittedAfter(tasks)).containsExactly(MARK_READY);
    assertThat(images()).hasSize(2);
  }

  @Test
  @Tag("long")
  void initThatWasInterruptedIsDoneAgain() {
    sidecarFaults().hold("config-validate");
    create(spec(A));
    awaitStep("config-validate");
    orphan();

    create(spec(A));

    eventually(() -> assertThat(executions("configure-genesis")).isEqualTo(2));
    sidecarFaults().release("config-validate");
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A);
  }

  /** Waits until the garbage collector knows the node; it would collect the orphans otherwise. */
  private void orphan() {
    awaitGarbageCollector();
    client.resource(node()).withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
    eventually(
        () -> {
          assertThat(node()).isNull();
          assertThat(statefulSet().getMetadata().getOwnerReferences()).isEmpty();
        });
  }

  private void awaitOwned() {
    String uid = node().getMetadata().getUid();
    eventually(
        () ->
            assertThat(statefulSet().getMetadata().getOwnerReferences())
                .extracting(OwnerReference::getUid)
                .containsExactly(uid));
  }

  /** The garbage collector would delete what gets its owner back. */
  @Test
  void nothingThatIsLeftGetsItsOwnerBack() {
    operatorBehindADoor().start();
    createRunning();
    List<String> uids = belongings().map(object -> object.getMetadata().getUid()).toList();
    awaitGarbageCollector();
    door.holdWatches(request -> request.path().endsWith("/seinodes"));

    client.resource(node()).withPropagationPolicy(DeletionPropagation.ORPHAN).delete();

    eventually(() -> assertThat(node()).isNull());
    eventually(
        () ->
            assertThat(door.received())
                .filteredOn(request -> request.path().endsWith("/seinodes/node"))
                .hasSizeGreaterThanOrEqualTo(uids.size()));
    awaitGarbageCollector();
    assertThat(belongings())
        .allMatch(object -> object.getMetadata().getOwnerReferences().isEmpty())
        .noneMatch(HasMetadata::isMarkedForDeletion)
        .extracting(object -> object.getMetadata().getUid())
        .isEqualTo(uids);
    assertThat(kubelet.history(namespace, POD)).hasSize(1);
    door.releaseWatches();
  }

  private Stream<HasMetadata> belongings() {
    return Stream.of(
        read(StatefulSet.class, NODE),
        read(PersistentVolumeClaim.class, "data-node"),
        read(Service.class, NODE));
  }
}
