package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node that is made again from a backup, or after a deletion that left its objects: its status is
 * gone, and its claim and data are kept.
 */
class RestoredNodeTest extends ConfigTestCase {

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private static final List<Class<? extends HasMetadata>> ORDER =
      List.of(Pod.class, ConfigMap.class, SeiNode.class, Service.class, StatefulSet.class);

  static Stream<Arguments> places() {
    return Cases.of(
        1, Arguments.of(true, false), Arguments.of(false, false), Arguments.of(false, true));
  }

  @ParameterizedTest(name = "with its status: {0}, while the operator runs: {1}")
  @MethodSource("places")
  void itsPodIsStartedOnItsDataAndNotReplaced(boolean withStatus, boolean running) {
    create(specOf("'fullNode':{},'dataVolume':{'onDelete':'Retain'}"));
    awaitUpToDate(A);
    int tasks = submitted().size();
    SeiNodeStatus status = node().getStatus();
    List<? extends HasMetadata> backup = backup();
    remove();
    if (!running) {
      operator.stop();
    }

    backup.forEach(this::restore);
    if (withStatus) {
      client.resource(node()).subresource("status").patch(MERGE, json(Map.of("status", status)));
    }
    if (!running) {
      operator.start();
    }

    awaitStartedOnItsData(tasks);
  }

  @Tag("long")
  @Test
  void watchThatLagsBehindTheRestoreHidesNothing() {
    operatorBehindADoor().start();
    create(specOf("'fullNode':{},'dataVolume':{'onDelete':'Retain'}"));
    awaitUpToDate(A);
    int tasks = submitted().size();
    List<? extends HasMetadata> backup = backup();
    remove();
    door.holdWatches(request -> request.path().matches(".*/(pods|statefulsets)"));

    backup.stream().filter(object -> !(object instanceof StatefulSet)).forEach(this::restore);
    eventually(() -> assertThat(statefulSet()).isNotNull());
    door.releaseWatches();

    awaitStartedOnItsData(tasks);
  }

  private List<? extends HasMetadata> backup() {
    return ORDER.stream().flatMap(type -> readAll(type).stream()).filter(this::isOfNode).toList();
  }

  private void awaitStartedOnItsData(int tasks) {
    eventually(() -> assertThat(submittedAfter(tasks)).contains(MARK_READY));
    awaitUpToDate(A);
    eventually(() -> assertThat(ownerOfStatefulSet()).isEqualTo(node().getMetadata().getUid()));
    assertThat(submittedAfter(tasks)).containsExactly(MARK_READY);
    assertThat(images()).as("the first pod, and the restored one").containsExactly(A, A);
  }

  /** Returns whether a restored object has the labels that all objects of a node have. */
  private boolean isOfNode(HasMetadata object) {
    return object.getMetadata().getName().startsWith(NODE);
  }

  private void remove() {
    client.resource(node()).delete();
    eventually(
        () -> {
          assertThat(node()).isNull();
          assertThat(statefulSet()).isNull();
          assertThat(pod()).isNull();
          assertThat(read(Service.class, NODE)).isNull();
        });
  }

  private void restore(HasMetadata object) {
    object.setMetadata(
        new ObjectMetaBuilder()
            .withName(object.getMetadata().getName())
            .withNamespace(namespace)
            .withLabels(object.getMetadata().getLabels())
            .withAnnotations(object.getMetadata().getAnnotations())
            .withFinalizers(object.getMetadata().getFinalizers())
            .build());
    if (object instanceof Pod pod) {
      pod.getSpec().setNodeName(null);
      pod.setStatus(null);
    } else if (object instanceof SeiNode node) {
      node.setStatus(null);
    }
    try {
      client.resource(object).create();
    } catch (KubernetesClientException e) {
      // As a restore, this leaves alone what somebody has made meanwhile.
      assertThat(e.getCode()).isEqualTo(HttpURLConnection.HTTP_CONFLICT);
    }
  }

  private String ownerOfStatefulSet() {
    return statefulSet().getMetadata().getOwnerReferences().get(0).getUid();
  }

  private String json(Object value) {
    return client.getKubernetesSerialization().asJson(value);
  }

  static Stream<String> retained() {
    return Cases.of(
        1,
        "'fullNode':{},'dataVolume':{'onDelete':'Retain'}",
        "'fullNode':{'snapshot':{'s3':{'targetHeight':1000},'bootstrapImage':'sei:boot'}},"
            + BootstrapTestCase.PEERS);
  }

  /** A SeiNode is deleted without what belongs to it, and applied again: its status is gone. */
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
