package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.UidRecorder;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StatefulSetIdentityOnClusterTest extends IdentityTestCase {

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
    return !operator
        .requests()
        .matching(StatefulSetIdentityOnClusterTest::isStatefulSetApply)
        .isEmpty();
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
