package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.Annotations;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Go operator that was not stopped, or was started again, and this operator beside it. */
class ContestedNodeTest extends IdentityTestCase {

  private GoOperator goOperator;
  private int writes;

  @BeforeEach
  void bothRun() {
    goOperator = new GoOperator(client, namespace, NODE);
  }

  @Test
  void statusWriteOfAGoOperatorIsReportedAndTheNodeLeftAloneUntilItStops() {
    createRunning();
    String pod = podUid();

    writeUntilContested(
        () -> goOperator.writeStatus("{'currentSidecarImage':'seictl:go-%d'}".formatted(++writes)),
        "\"manager\" wrote the status of SeiNode node");

    assertThat(condition(NodeConditionType.READY).isTrue()).isTrue();
    eventually(() -> assertThat(events(NODE, "StatefulSetConflict")).hasSize(1));
    setImage(B);
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertThat(node().getStatus().plan()).isNull();

    operator.restart();

    awaitUpToDate(B);
    awaitTracked();
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }

  @Test
  void applyOfAGoOperatorIsReportedAndNotUndone() {
    SeiNode node = createRunning();
    String pod = podUid();

    writeUntilContested(
        () -> goOperator.apply(node, A, NODE), "\"seinode-controller\" wrote StatefulSet node");

    stays(
        () ->
            assertThat(statefulSet().getMetadata().getAnnotations())
                .doesNotContainKey(Annotations.RENDERED_HASH));

    operator.restart();

    eventually(
        () ->
            assertThat(statefulSet().getMetadata().getAnnotations())
                .containsKey(Annotations.RENDERED_HASH));
    awaitTracked();
    awaitUpToDate(A);
    assertNeverRestarted(pod);
  }

  /** Field managers have whole seconds: what is written in that of the start counts as earlier. */
  private void writeUntilContested(Runnable write, String what) {
    await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              write.run();
              eventually(Duration.ofSeconds(5), () -> assertContested(what));
            });
  }

  private void assertContested(String what) {
    assertCondition(
        NodeConditionType.STATEFUL_SET_READY, ConditionStatus.FALSE, NodeReason.GO_OPERATOR_RUNS);
    assertThat(condition(NodeConditionType.STATEFUL_SET_READY).message())
        .contains("a Go operator still runs", what, "scale its Deployment to 0");
    assertThat(condition(NodeConditionType.STALLED).isTrue()).isTrue();
    assertThat(condition(NodeConditionType.STALLED).reason())
        .isEqualTo(StallReason.STATEFUL_SET_CONFLICT.toString());
  }
}
