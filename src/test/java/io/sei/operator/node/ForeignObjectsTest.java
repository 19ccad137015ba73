package io.sei.operator.node;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.UidRecorder;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects that others made, own or deleted under the names of a node. */
class ForeignObjectsTest extends IdentityTestCase {

  @Test
  void objectsOfOthersAreNamedAndNotSeized() {
    String config = NODE + "-rbac-proxy-config";
    StatefulSet foreign = foreignStatefulSet(ownedByAnother(NODE), Labels.selector(NODE));
    HasMetadata configMap =
        client
            .resource(
                new ConfigMapBuilder()
                    .withMetadata(ownedByAnother(config))
                    .addToData("a", "b")
                    .build())
            .create();
    HasMetadata service = client.resource(service(metadata(NODE).build())).create();
    create(spec(A));

    awaitConflict("ConfigMap/another");
    assertUntouched(foreign);
    assertThat(pod()).isNull();
    client.resource(foreign).delete();
    assertObstacle(configMap, "ConfigMap " + config + " belongs to ConfigMap");
    assertObstacle(service, "Service " + NODE + " belongs to no owner");
    awaitUpToDate(A);
    awaitTracked();
    assertThat(events("StatefulSetConflict")).isNotEmpty();
    assertServiceOfAnotherIsNamedUnderARunningNode();
  }

  private void assertServiceOfAnotherIsNamedUnderARunningNode() {
    operator.stop();
    operator.requests().clear();
    client.services().inNamespace(namespace).withName(NODE).delete();
    HasMetadata foreign = client.resource(service(ownedByAnother(NODE))).create();
    operator.start();

    eventually(
        () -> {
          assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, NodeReason.CONFLICT);
          assertThat(condition(NodeConditionType.UP_TO_DATE).message())
              .contains("Service node belongs to ConfigMap/another");
        });
    assertUntouched(foreign);

    client.resource(foreign).delete();
    lookNow();
    eventually(() -> assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE));
  }

  private static Service service(ObjectMeta metadata) {
    return new ServiceBuilder(yaml(Service.class, "spec: {ports: [{port: 80}]}"))
        .withMetadata(metadata)
        .build();
  }

  private void assertObstacle(HasMetadata foreign, String named) {
    eventually(
        () ->
            assertThat(node().getStatus().plan().currentTask().orElseThrow().message())
                .contains(named));
    assertUntouched(foreign);
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE);

    client.resource(foreign).delete();
    lookNow();
  }

  /** The operator would look again by itself, but only every half minute. */
  private void lookNow() {
    annotate(Annotations.EXPLAIN, "now");
  }

  private void awaitConflict(String owner) {
    eventually(
        () -> {
          assertCondition(
              NodeConditionType.STATEFUL_SET_READY, ConditionStatus.FALSE, NodeReason.CONFLICT);
          assertThat(condition(NodeConditionType.STATEFUL_SET_READY).message())
              .contains("StatefulSet " + NODE + " belongs to " + owner);
        });
  }

  /** Asserts it by the operator's requests: Kubernetes' own controller may write a status. */
  private void assertUntouched(HasMetadata foreign) {
    ObjectMeta before = foreign.getMetadata();
    stays(
        () -> {
          ObjectMeta now = client.resource(foreign).get().getMetadata();
          assertThat(now.getUid()).isEqualTo(before.getUid());
          assertThat(now.getGeneration()).isEqualTo(before.getGeneration());
          assertThat(now.getOwnerReferences()).isEqualTo(before.getOwnerReferences());
          assertThat(now.getLabels()).isEqualTo(before.getLabels());
        });
    assertThat(operator.requests().matching(Request::isWrite))
        .noneMatch(
            request -> request.path().endsWith(foreign.getPlural() + "/" + before.getName()));
  }

  /** Without replicas, and settled: its controller has nothing to do. */
  private StatefulSet foreignStatefulSet(ObjectMeta metadata, Map<String, String> selector) {
    StatefulSet created = client.resource(Samples.database(metadata, selector)).create();
    eventually(
        () ->
            assertThat(client.resource(created).get().getStatus().getUpdateRevision()).isNotNull());
    return client.resource(created).get();
  }

  private ObjectMeta ownedByAnother(String name) {
    ConfigMap another =
        client
            .resource(new ConfigMapBuilder().withMetadata(metadata("another").build()).build())
            .createOr(NonDeletingOperation::update);
    return metadata(name)
        .addToLabels(Labels.NODE, NODE)
        .withOwnerReferences(
            yaml(
                OwnerReference.class,
                """
                {apiVersion: v1, kind: ConfigMap, name: another, uid: %s, controller: true}
                """,
                another.getMetadata().getUid()))
        .build();
  }

  private ObjectMetaBuilder metadata(String name) {
    return new ObjectMetaBuilder().withName(name).withNamespace(namespace);
  }

  @Tag("long")
  @Test
  void statefulSetThatIsDeletedWhileTheSidecarStartsComesBack() {
    createRunning();
    sidecar.faults(namespace, NODE).hold("mark-ready");
    setImage(B);

    deleteStatefulSetAt("mark-ready");

    awaitUpToDate(B);
    assertThat(podUids()).hasSize(3);
  }

  /** Deletes the StatefulSet once its sidecar works on a task, which it may end after that. */
  private void deleteStatefulSetAt(String task) {
    eventually(
        () ->
            assertThat(node().getStatus().plan().currentTask().orElseThrow())
                .matches(current -> current.type().equals(task) && current.submittedAt() != null));
    deleteStatefulSet(DeletionPropagation.BACKGROUND);
    sidecar.faults(namespace, NODE).release(task);
  }

  @Tag("long")
  @Test
  void statefulSetDeletedOutOfBandIsRecreatedAndAnOrphanedPodIsNotRestarted() {
    SeiNode before = createRunning();
    String pod = podUid();

    deleteStatefulSet(DeletionPropagation.ORPHAN);

    awaitTracked();
    String second = statefulSetUid();
    assertThat(second).isNotEqualTo(before.getStatus().statefulSet().uid());
    eventually(() -> assertPodBelongsToStatefulSet());
    awaitUpToDate(A);
    assertNeverRestarted(pod);
    assertThat(events("StatefulSetRecreated")).hasSize(1);
    assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE);

    deleteStatefulSet(DeletionPropagation.BACKGROUND);

    eventually(() -> assertThat(statefulSetUid()).isNotEqualTo(second));
    awaitTracked();
    awaitUpToDate(A);
    eventually(
        () ->
            assertThat(events("StatefulSetRecreated").stream().mapToInt(Event::getCount).sum())
                .isEqualTo(2));
    awaitQuiet();
  }

  static Stream<Boolean> owned() {
    return Cases.of(1, true, false);
  }

  @ParameterizedTest(name = "with our owner reference: {0}")
  @MethodSource("owned")
  void impostorIsReplacedOnceAndNothingChurnsAfterwards(boolean owned) {
    SeiNode node = createRunning();
    try (UidRecorder seen = recordStatefulSets()) {
      operator.stop();
      String impostor = recreate(owned ? List.of(ownedBy(node)) : List.of());
      operator.start();

      eventually(() -> assertThat(statefulSetUid()).isNotEqualTo(impostor));
      awaitTracked();
      awaitUpToDate(A);
      String third = statefulSetUid();
      awaitQuiet();
      stays(() -> assertThat(statefulSetUid()).isEqualTo(third));
      assertThat(seen.uids())
          .containsExactly(node.getStatus().statefulSet().uid(), impostor, third);
      assertThat(events("StatefulSetReplacing")).hasSize(1);
    }
  }

  @Test
  void statefulSetAppliedButNotRecordedForAConflictIsAdopted() {
    try (UidRecorder seen = recordStatefulSets()) {
      var disturbed = new AtomicBoolean();
      operator
          .requests()
          .refuse(
              request -> {
                if (isStatusWrite(request) && wasApplied() && !disturbed.getAndSet(true)) {
                  patch("{'metadata':{'labels':{'touched':'by-another'}}}");
                }
                return false;
              });
      create(spec(A));

      awaitUpToDate(A);
      assertThat(disturbed).isTrue();
      awaitTracked();
      assertThat(seen.uids()).hasSize(1);
      assertThat(podUids()).hasSize(1);
      assertThat(node().getMetadata().getLabels()).containsEntry("touched", "by-another");
    }
  }

  private boolean wasApplied() {
    return !operator.requests().matching(ForeignObjectsTest::isStatefulSetApply).isEmpty();
  }

  private void assertPodBelongsToStatefulSet() {
    assertThat(pod().getMetadata().getOwnerReferences())
        .extracting(OwnerReference::getUid)
        .containsExactly(statefulSetUid());
  }

  private String recreate(List<OwnerReference> owners) {
    StatefulSet original = statefulSet();
    deleteStatefulSet(DeletionPropagation.BACKGROUND);
    StatefulSet copy =
        new StatefulSetBuilder()
            .withNewMetadata()
            .withName(NODE)
            .withNamespace(namespace)
            .withLabels(original.getMetadata().getLabels())
            .withOwnerReferences(owners)
            .endMetadata()
            .withSpec(original.getSpec())
            .build();
    return client.resource(copy).create().getMetadata().getUid();
  }
}
