package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.PodFault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A pod in which nothing has ever run is replaced as soon as its template differs. */
class UnstartedPodTest extends IdentityTestCase {

  @Test
  void podThatCannotStartIsReplacedOnceItsTemplateIsMended() {
    kubelet.inject(namespace, POD, PodFault.IMAGE_PULL);
    create(spec(A));
    awaitCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.IMAGE_PULL);

    restartOperator("SEI_KUBE_RBAC_PROXY_IMAGE", "proxy:mended");

    awaitReplaced(1);
  }

  @Tag("long")
  @Test
  void podWithoutAPlaceIsReplacedOnceItsRequestsAreCorrected() {
    kubelet.inject(namespace, POD, PodFault.UNSCHEDULABLE);
    create(spec(A));
    awaitUnschedulable();

    restartOperator("SEI_RESOURCE_CPU_DEFAULT", "250m");

    awaitReplaced(1);
  }

  /** The plan of a node that has run before is over when its next pod finds no place. */
  @Tag("long")
  @Test
  void nextPodOfANodeThatHasRunIsReplacedToo() {
    createRunning();
    kubelet.inject(namespace, POD, PodFault.UNSCHEDULABLE);
    client.resource(pod()).withGracePeriod(0).delete();
    awaitUnschedulable();
    assertThat(node().getStatus().plan()).isNull();

    restartOperator("SEI_RESOURCE_CPU_DEFAULT", "250m");

    awaitReplaced(2);
  }

  private void awaitUnschedulable() {
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.UNSCHEDULABLE);
  }

  private void restartOperator(String setting, String value) {
    operator.stop();
    operator.with(setting, value).start();
  }

  private void awaitReplaced(int earlierPods) {
    eventually(() -> assertThat(podUids()).hasSize(earlierPods + 1));
    kubelet.clear(namespace, POD);
    awaitUpToDate(A);
    assertThat(podUids()).hasSize(earlierPods + 1);
    assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE);
  }
}
