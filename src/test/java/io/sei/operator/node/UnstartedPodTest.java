package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.PodFault;
import org.junit.jupiter.api.Test;

/** A pod in which nothing has ever run is replaced as soon as its template differs. */
class UnstartedPodTest extends IdentityTestCase {

  @Test
  void podThatCannotStartIsReplacedOnceItsTemplateIsMended() {
    kubelet.inject(namespace, POD, PodFault.IMAGE_PULL);
    create(spec(A));
    eventually(
        () ->
            assertCondition(
                NodeConditionType.STALLED,
                ConditionStatus.TRUE,
                StallReason.IMAGE_PULL.toString()));
    operator.stop();

    operator.with("SEI_KUBE_RBAC_PROXY_IMAGE", "proxy:mended").start();

    eventually(() -> assertThat(podUids()).hasSize(2));
    kubelet.clear(namespace, POD);
    awaitUpToDate(A);
    assertThat(podUids()).hasSize(2);
    assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE);
  }

  @Test
  void podWithoutAPlaceIsReplacedOnceItsRequestsAreCorrected() {
    kubelet.inject(namespace, POD, PodFault.UNSCHEDULABLE);
    create(spec(A));
    awaitUnschedulable();
    operator.stop();

    operator.with("SEI_RESOURCE_CPU_DEFAULT", "250m").start();

    eventually(() -> assertThat(podUids()).hasSize(2));
    kubelet.clear(namespace, POD);
    awaitUpToDate(A);
    assertThat(podUids()).hasSize(2);
    assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE);
  }

  /** The plan of a node that has run before is over when its next pod finds no place. */
  @Test
  void nextPodOfANodeThatHasRunIsReplacedToo() {
    createRunning();
    kubelet.inject(namespace, POD, PodFault.UNSCHEDULABLE);
    client.resource(pod()).withGracePeriod(0).delete();
    awaitUnschedulable();
    assertThat(node().getStatus().plan()).isNull();
    operator.stop();

    operator.with("SEI_RESOURCE_CPU_DEFAULT", "250m").start();

    eventually(() -> assertThat(podUids()).hasSize(3));
    kubelet.clear(namespace, POD);
    awaitUpToDate(A);
    assertThat(podUids()).hasSize(3);
  }

  private void awaitUnschedulable() {
    eventually(
        () ->
            assertCondition(
                NodeConditionType.READY,
                ConditionStatus.FALSE,
                StallReason.UNSCHEDULABLE.toString()));
  }
}
