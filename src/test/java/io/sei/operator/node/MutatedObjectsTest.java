package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.testkit.MutatingWebhook;
import io.sei.operator.testkit.RequestLog.Request;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A webhook adds to pods and StatefulSets what the operator knows nothing of. */
class MutatedObjectsTest extends IdentityTestCase {

  @TempDir private Path directory;
  private MutatingWebhook webhook;

  @AfterEach
  void removeTheWebhook() {
    webhook.close();
  }

  @Test
  @Tag("long")
  void whatWasThereBeforeIsNeitherAppliedAgainNorRestarted() {
    webhook = new MutatingWebhook(client, namespace, directory);
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
    webhook = new MutatingWebhook(client, namespace, directory);

    edit(
        it -> {
          it.getMetadata().getAnnotations().put("touched", "by hand");
          return it;
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
