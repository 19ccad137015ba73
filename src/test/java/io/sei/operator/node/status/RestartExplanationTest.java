package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
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
  private static final Optional<Pod> POD_A = Optional.of(aPod(aNode(A)).build());

  static Stream<Arguments> rows() {
    SeiNode paused = aNode(B).spec(spec -> spec.withPaused(true)).build();
    SeiNode labelled = aNode(A).spec(spec -> spec.withPodLabels(Map.of("team", "new"))).build();
    return Stream.of(
        row(
            "other image",
            aNode(B).build(),
            aNode(A).running().status(),
            POD_A,
            "the pod restarts: image sei:a -> sei:b"),
        row(
            "other label",
            labelled,
            aNode(A).running().status(),
            POD_A,
            "the pod restarts: pod settings changed"),
        row(
            "nothing differs",
            aNode(A).build(),
            aNode(A).running().status(),
            POD_A,
            "nothing restarts: the pod runs what the spec asks for"),
        row(
            "template of the operator's own",
            aNode(A).build(),
            restartPending(),
            POD_A,
            "nothing restarts: differs in spec.template; waits for sei.io/restart-requested-at"),
        row(
            "the last try failed",
            aNode(B).build(),
            failed(),
            POD_A,
            "nothing restarts: image sei:a -> sei:b; the last attempt failed: task x failed:"
                + " broken"),
        row(
            "paused",
            paused,
            aNode(A).running().status(),
            POD_A,
            "nothing restarts: spec.paused is true; when resumed, the pod starts with image sei:b"),
        row(
            "no pod",
            aNode(B).build(),
            aNode(A).running().status(),
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
    var reconcile =
        aNode(asked(aNode(B).build(), "1")).status(aNode(A).running().status()).pod(POD_A).pass();
    reconcile.conflict("StatefulSet node belongs to somebody");

    assertThat(RestartExplanation.of(reconcile).nodes().get(0).action())
        .isEqualTo(Explanation.Action.WAIT);
  }

  @Test
  void anAnswerIsKeptUntilAnotherRequestAndGoesWithTheLast() {
    Explanation given = explain(asked(aNode(A).build(), "1"), aNode(A).running().status(), POD_A);
    SeiNodeStatus answered = aNode(A).running().status().withExplain(given);

    assertThat(explain(asked(aNode(B).build(), "1"), answered, POD_A)).isSameAs(given);
    assertThat(explain(asked(aNode(B).build(), "2"), answered, POD_A)).isNotEqualTo(given);
    assertThat(explain(aNode(B).build(), answered, POD_A)).isNull();
  }

  private static Explanation explain(SeiNode node, SeiNodeStatus status, Optional<Pod> pod) {
    return RestartExplanation.of(aNode(node).status(status).pod(pod).pass());
  }

  private static SeiNode asked(SeiNode node, String request) {
    node.getMetadata().setAnnotations(Map.of(Annotations.EXPLAIN, request));
    return node;
  }

  private static SeiNodeStatus restartPending() {
    return aNode(A)
        .running()
        .status()
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
    return aNode(A)
        .running()
        .status()
        .withPlan(
            aPlan(PlanKind.UPDATE, B, "x")
                .phase(PlanPhase.FAILED)
                .build()
                .withFailedTaskDetail(new FailedTaskDetail("x", "id-x", "broken", 0, 0)));
  }
}
