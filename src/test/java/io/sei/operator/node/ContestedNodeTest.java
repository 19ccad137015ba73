package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.Samples;
import org.junit.jupiter.api.Test;

/** A Go operator beside this one whose Lease is not seen. */
class ContestedNodeTest extends IdentityTestCase {

  private static final String OTHER = "other";

  @Test
  void applyOfAGoOperatorIsReportedAndNotUndoneAndNothingElseIsManaged() {
    SeiNode node = createRunning();
    String pod = podUid();

    new GoOperator(client, namespace, NODE).apply(node, A, NODE);

    eventually(
        () ->
            assertCondition(
                NodeConditionType.STATEFUL_SET_READY,
                ConditionStatus.FALSE,
                NodeReason.GO_OPERATOR_RUNS));
    assertThat(condition(NodeConditionType.STATEFUL_SET_READY).message())
        .contains("a Go operator", "StatefulSet node", "scale its Deployment to 0");
    assertThat(condition(NodeConditionType.STALLED).isTrue()).isTrue();
    assertThat(condition(NodeConditionType.STALLED).reason())
        .isEqualTo(StallReason.STATEFUL_SET_CONFLICT.toString());
    assertThat(condition(NodeConditionType.READY).isTrue()).isTrue();
    eventually(() -> assertThat(events(NODE, "StatefulSetConflict")).hasSize(1));
    setImage(B);
    client.resource(Samples.node(namespace, OTHER, spec(A))).create();
    stays(
        () -> {
          assertThat(statefulSet().getMetadata().getAnnotations())
              .doesNotContainKey(Annotations.RENDERED_HASH);
          assertThat(client.apps().statefulSets().inNamespace(namespace).withName(OTHER).get())
              .isNull();
          assertThat(podUid()).isEqualTo(pod);
        });
    assertThat(node().getStatus().plan()).isNull();
    assertThat(events(OTHER, "StatefulSetConflict")).hasSize(1);

    operator.restart();

    awaitUpToDate(B);
    awaitTracked();
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }
}
