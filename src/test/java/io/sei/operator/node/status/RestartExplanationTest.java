package io.sei.operator.node.status;

import static io.sei.operator.node.Snapshots.NOW;
import static io.sei.operator.node.Snapshots.node;
import static io.sei.operator.node.Snapshots.plan;
import static io.sei.operator.node.Snapshots.pod;
import static io.sei.operator.node.Snapshots.running;
import static io.sei.operator.node.Snapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.FailedTaskDetail;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.render.Annotations;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said about a node that is asked whether it would restart. */
class RestartExplanationTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final Optional<Pod> POD_A = Optional.of(pod(A));

  static Stream<Arguments> rows() {
    SeiNode paused = node(B);
    paused.setSpec(paused.getSpec().withPaused(true));
    SeiNode labelled = node(A);
    labelled.setSpec(labelled.getSpec().withPodLabels(Map.of("team", "new")));
    return Stream.of(
        row("other image", node(B), running(A), POD_A, "the pod restarts: image sei:a -> sei:b"),
        row("other label", labelled, running(A), POD_A, "the pod restarts: pod settings changed"),
        row(
            "nothing differs",
            node(A),
            running(A),
            POD_A,
            "nothing restarts: the pod runs what the spec asks for"),
        row(
            "template of the operator's own",
            node(A),
            restartPending(),
            POD_A,
            "nothing restarts: differs in spec.template; waits for sei.io/restart-requested-at"),
        row(
            "the last try failed",
            node(B),
            failed(),
            POD_A,
            "nothing restarts: image sei:a -> sei:b; the last attempt failed: task x failed:"
                + " broken"),
        row(
            "paused",
            paused,
            running(A),
            POD_A,
            "nothing restarts: spec.paused is true; when resumed, the pod starts with image sei:b"),
        row(
            "no pod",
            node(B),
            running(A),
            Optional.empty(),
            "nothing restarts: no pod runs; the next one runs what the spec asks for"));
  }

  private static Arguments row(
      String name, SeiNode node, SeiNodeStatus status, Optional<Pod> pod, String summary) {
    return Arguments.of(name, node, status, pod, summary);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void explains(
      String name, SeiNode node, SeiNodeStatus status, Optional<Pod> pod, String summary) {
    Explanation explanation = explain(asked(node, "1"), status, pod);

    assertThat(explanation.summary()).isEqualTo(summary);
    assertThat(explanation.nodes()).hasSize(1);
    assertThat(explanation.at()).isEqualTo(NOW);
  }

  @Test
  void aStatefulSetOfSomebodyElseIsWaitedFor() {
    var reconcile = new NodePass(snapshot(asked(node(B), "1"), running(A), POD_A, null));
    reconcile.conflict("StatefulSet node belongs to somebody");

    assertThat(RestartExplanation.of(reconcile).nodes().get(0).action())
        .isEqualTo(Explanation.Action.WAIT);
  }

  @Test
  void anAnswerIsKeptUntilAnotherRequestAndGoesWithTheLast() {
    Explanation given = explain(asked(node(A), "1"), running(A), POD_A);
    SeiNodeStatus answered = running(A).withExplain(given);

    assertThat(explain(asked(node(B), "1"), answered, POD_A)).isSameAs(given);
    assertThat(explain(asked(node(B), "2"), answered, POD_A)).isNotEqualTo(given);
    assertThat(explain(node(B), answered, POD_A)).isNull();
  }

  private static Explanation explain(SeiNode node, SeiNodeStatus status, Optional<Pod> pod) {
    return RestartExplanation.of(new NodePass(snapshot(node, status, pod, null)));
  }

  private static SeiNode asked(SeiNode node, String request) {
    node.getMetadata().setAnnotations(Map.of(Annotations.EXPLAIN, request));
    return node;
  }

  private static SeiNodeStatus restartPending() {
    return running(A)
        .withConditions(
            Conditions.with(
                List.of(),
                NodeConditionType.RESTART_PENDING,
                ConditionStatus.TRUE,
                NodeReason.TEMPLATE_CHANGED,
                "differs in spec.template",
                7L,
                NOW));
  }

  private static SeiNodeStatus failed() {
    return running(A)
        .withPlan(
            plan(PlanKind.UPDATE, PlanPhase.FAILED, B, 0, "x")
                .withFailedTaskDetail(new FailedTaskDetail("x", "id-x", "broken", 0, 0)));
  }
}
