package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.testkit.MutatingWebhook;
import io.sei.operator.testkit.RequestLog.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A webhook changes pods and StatefulSets in ways that the operator knows nothing of. */
class MutatedObjectsTest extends IdentityTestCase {

  private MutatingWebhook webhook;

  @AfterEach
  void removeTheWebhook() {
    webhook.close();
  }

  @Test
  @Tag("long")
  void whatWasThereBeforeIsNeitherAppliedAgainNorRestarted() {
    webhook = new MutatingWebhook(client, namespace);
    createRunning();
    assertInjected(pod().getSpec());
    assertInjected(statefulSet().getSpec().getTemplate().getSpec());

    assertCostsNothing();
    setImage(B);

    awaitUpToDate(B);
    assertCostsNothing();
    assertThat(podUids()).hasSize(2);
    assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE);
  }

  @Test
  void whatComesToARunningNodeWaitsForItsNextRestart() {
    createRunning();
    webhook = new MutatingWebhook(client, namespace);

    edit(
        statefulSet -> {
          statefulSet.getMetadata().getAnnotations().put("touched", "by hand");
          return statefulSet;
        });

    eventually(() -> assertInjected(statefulSet().getSpec().getTemplate().getSpec()));
    awaitQuiet();
    assertCostsNothing();
    assertThat(podUids()).hasSize(1);
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
    setImage(B);
    awaitUpToDate(B);
    assertInjected(pod().getSpec());
    assertThat(podUids()).hasSize(2);
  }

  /** As a registry mirror does that pins digests, with every way in which an image may change. */
  @Tag("long")
  @Test
  void nodeRunsTheImagesThatAdmissionPutsInPlaceOfThoseAskedFor() {
    webhook = MutatingWebhook.mirroring(client, namespace, "CREATE");
    create(spec(A));
    awaitRewritten(A);
    assertThat(condition(NodeConditionType.UP_TO_DATE).message())
        .isEqualTo(
            "the pod runs what the spec asks for; admission control put image %s in place of %s"
                .formatted(MutatingWebhook.mirrored(A), A));
    assertCostsNothing();

    setImage(B);
    awaitRewritten(B);
    assertThat(podUids()).hasSize(2);

    patch("{'spec':{'upgrades':[{'name':'v3','height':100,'image':'%s'}]}}".formatted(C));
    kubelet.halt(namespace, POD, "v3", 100);
    awaitRewritten(C);
    assertThat(podUids()).hasSize(3);
    assertThat(node().getStatus().upgrades().get(0).state()).isEqualTo(UpgradeState.APPLIED);
  }

  private void awaitRewritten(String image) {
    eventually(
        () -> {
          assertThat(node().getStatus().phase()).isEqualTo(NodePhase.RUNNING);
          assertThat(node().getStatus().currentImage()).isEqualTo(image);
          assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
          assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
          assertThat(runningImage()).isEqualTo(MutatingWebhook.mirrored(image));
        });
  }

  /** Another look writes only what it was asked for. */
  private void assertCostsNothing() {
    awaitQuiet();
    operator.requests().clear();
    awaitAnotherLook();
    assertThat(operator.requests().matching(Request::isWrite))
        .singleElement()
        .matches(IdentityTestCase::isStatusWrite);
  }

  private static void assertInjected(PodSpec pod) {
    assertThat(pod.getContainers())
        .extracting(Container::getName)
        .containsOnlyOnce(MutatingWebhook.CONTAINER);
  }
}
