package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.PodFault;
import org.junit.jupiter.api.Test;

/** A pod in whose life nothing ran has nothing to lose. */
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
}
