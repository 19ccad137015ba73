package io.sei.operator.node.hold;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.plan.TaskType;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whose end is waited for: that of the run of seid which nothing keeps back. */
class AwaitExitTest {

  private static final String A = "sei:a";
  private static final JsonNode FIRST_RUN = Hold.awaited(observed(runs("pod-1", "run-1")));

  static Stream<Arguments> looks() {
    return Stream.of(
        Arguments.of("runs on", Optional.of(runs("pod-1", "run-1")), false),
        Arguments.of("started again", Optional.of(runs("pod-1", "run-2")), true),
        Arguments.of("waits to be started", Optional.of(waits("pod-1", "run-1")), true),
        Arguments.of("another pod", Optional.of(runs("pod-2", "run-1")), true),
        Arguments.of("no pod", Optional.empty(), true));
  }

  @ParameterizedTest(name = "{0}: {2}")
  @MethodSource("looks")
  void isDoneOnceThatRunIsOver(String name, Optional<Pod> pod, boolean done) {
    var reconcile = aNode(A).running().pod(pod).held().pass();

    assertThat(Hold.await(run(FIRST_RUN), reconcile).isDone()).isEqualTo(done);
  }

  @Test
  void aPodInWhichNothingRanIsNotWaitedFor() {
    NodePass pass = aNode(A).running().withPod().held().pass();

    assertThat(Hold.await(run(Hold.awaited(pass.view())), pass).isDone()).isTrue();
  }

  /** The script that waits for the sidecar may run by then, and never end. */
  @ParameterizedTest
  @MethodSource("statuses")
  void theNextPlanWaitsForTheSameRun(TaskStatus status) {
    TaskPlan plan = aPlan(PlanKind.UPDATE, A, "x").build().withTasks(List.of(task(status)));

    NodeView later = observed(runs("pod-1", "run-2")).after(plan);

    assertThat(Hold.awaited(later)).isEqualTo(FIRST_RUN);
    assertThat(Hold.isLeft(plan)).isEqualTo(status == TaskStatus.PENDING);
  }

  static Stream<TaskStatus> statuses() {
    return Stream.of(TaskStatus.PENDING, TaskStatus.COMPLETE);
  }

  private static NodeView observed(Pod pod) {
    return aNode(A).running().withPod(pod).held().view();
  }

  private static PlannedTask task(TaskStatus status) {
    return PlannedTaskBuilder.builder()
        .type("await-exit")
        .id("1")
        .status(status)
        .params(FIRST_RUN)
        .build();
  }

  private static Hold.Run run(JsonNode params) {
    return TaskType.view(Hold.Run.class, params);
  }

  private static Pod runs(String uid, String run) {
    return aPod(aNode(A)).uid(uid).status("seid", sample -> sample.run(run).running()).build();
  }

  private static Pod waits(String uid, String run) {
    return aPod(aNode(A))
        .uid(uid)
        .status("seid", sample -> sample.run(run).waiting("CrashLoopBackOff"))
        .build();
  }
}
