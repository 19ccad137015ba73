package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.FailedTaskDetail;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Explanation of whether a node would restart. */
class RestartExplanationTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final NodeSample RUNS = aNode(A).running().withPod();
  private static final NodeSample EDITED = RUNS.image(B);

  static Stream<Arguments> rows() {
    NodeSample labelled = RUNS.spec(spec -> spec.withPodLabels(Map.of("team", "new")));
    return Stream.of(
        arguments("other image", EDITED, "the pod restarts: image sei:a -> sei:b"),
        arguments("other label", labelled, "the pod restarts: pod settings changed"),
        arguments("nothing differs", RUNS, "nothing restarts: the pod runs what the spec asks for"),
        arguments(
            "template of the operator's own",
            restartPending(RUNS),
            "nothing restarts: differs in spec.template; waits for sei.io/restart-requested-at"),
        arguments(
            "the last try failed",
            EDITED.plan(failed()),
            "nothing restarts: image sei:a -> sei:b; the last attempt failed: task x failed:"
                + " broken"),
        arguments(
            "paused",
            EDITED.spec(spec -> spec.withPaused(true)),
            "nothing restarts: spec.paused is true; when resumed, the pod starts with image sei:b"),
        arguments(
            "no pod",
            EDITED.withoutPod(),
            "nothing restarts: no pod runs; the next one runs what the spec asks for"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void explains(String name, NodeSample node, String summary) {
    Explanation explanation = explain(asked(node, "1"));

    assertThat(explanation.summary()).isEqualTo(summary);
    assertThat(explanation.nodes()).hasSize(1);
    assertThat(explanation.at()).isEqualTo(NOW);
  }

  @Test
  void statefulSetOfAnotherOwnerIsWaitedFor() {
    NodePass pass = asked(EDITED, "1").pass();
    pass.conflict("StatefulSet node belongs to somebody");

    assertThat(RestartExplanation.of(pass).nodes().get(0).action())
        .isEqualTo(Explanation.Action.WAIT);
  }

  @Test
  void anAnswerIsKeptUntilAnotherRequestAndGoesWithTheLast() {
    Explanation given = explain(asked(RUNS, "1"));
    NodeSample answered = EDITED.status(status -> status.withExplain(given));

    assertThat(explain(asked(answered, "1"))).isSameAs(given);
    assertThat(explain(asked(answered, "2"))).isNotEqualTo(given);
    assertThat(explain(answered)).isNull();
  }

  private static Explanation explain(NodeSample node) {
    return RestartExplanation.of(node.pass());
  }

  private static NodeSample asked(NodeSample node, String request) {
    return node.annotation(Annotations.EXPLAIN, request);
  }

  private static NodeSample restartPending(NodeSample node) {
    return node.status(
        status ->
            status.withConditions(
                Conditions.with(
                    List.of(),
                    NodeConditionType.RESTART_PENDING,
                    ConditionStatus.TRUE,
                    NodeReason.TEMPLATE_CHANGED,
                    "differs in spec.template",
                    7L,
                    NOW)));
  }

  private static TaskPlan failed() {
    return aPlan(PlanKind.UPDATE, B, "x")
        .phase(PlanPhase.FAILED)
        .build()
        .withFailedTaskDetail(new FailedTaskDetail("x", "id-x", "broken", 0, 0));
  }
}
