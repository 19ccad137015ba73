package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FailedTaskDetail;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.status.NodeStatus;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeStatusWriterTest {

  private static final Instant LATER = NOW.plusSeconds(5);

  @Test
  void completePlanMovesToTheHistoryAndBringsItsPhase() {
    SeiNodeStatus before = initializing(PlanPhase.ACTIVE);

    SeiNodeStatus after = settled(before, initializing(PlanPhase.COMPLETE));

    assertThat(after.plan()).isNull();
    assertThat(after.phase()).isEqualTo(NodePhase.RUNNING);
    assertThat(after.phaseTransitionTime()).isEqualTo(LATER);
    assertThat(after.planHistory()).containsExactly(LATER + " Init to sei:b after 5s: Complete");
    assertThat(after.observedGeneration()).isEqualTo(7L);
  }

  @Test
  void failedInitPlanStaysAndBringsItsPhase() {
    SeiNodeStatus after = settled(initializing(PlanPhase.ACTIVE), initializing(PlanPhase.FAILED));

    assertThat(after.plan().isFailed()).isTrue();
    assertThat(after.phase()).isEqualTo(NodePhase.FAILED);
    assertThat(after.planHistory())
        .containsExactly(LATER + " Init to sei:b after 5s: Failed: task x failed: broken");
  }

  @Test
  void failedUpdatePlanLeavesThePhase() {
    TaskPlan active = aPlan(PlanKind.UPDATE, "sei:b", "x").build();
    SeiNodeStatus before = aNode("sei:a").running().status().withPlan(active);

    SeiNodeStatus after = settled(before, before.withPlan(ended(active, PlanPhase.FAILED)));

    assertThat(after.plan().isFailed()).isTrue();
    assertThat(after.phase()).isEqualTo(NodePhase.RUNNING);
    assertThat(after.phaseTransitionTime()).isNull();
  }

  @Test
  void planThatFailedBeforeIsNotToldAgain() {
    SeiNodeStatus failed = initializing(PlanPhase.FAILED).withPhase(NodePhase.FAILED);

    assertThat(settled(failed, failed).planHistory()).isNull();
  }

  @Test
  void historyKeepsTheLastFive() {
    List<String> full = IntStream.range(0, 5).mapToObj(i -> "plan " + i).toList();

    SeiNodeStatus after =
        settled(
            initializing(PlanPhase.ACTIVE), initializing(PlanPhase.COMPLETE).withPlanHistory(full));

    assertThat(after.planHistory())
        .hasSize(5)
        .startsWith("plan 1")
        .last()
        .asString()
        .contains("Init");
  }

  @Test
  void activePlanIsKeptAsItIs() {
    SeiNodeStatus active = initializing(PlanPhase.ACTIVE);

    assertThat(settled(active, active)).isEqualTo(active.withObservedGeneration(7L));
  }

  private static SeiNodeStatus settled(SeiNodeStatus before, SeiNodeStatus reached) {
    return NodeStatus.concluded(before, reached, 7L, LATER);
  }

  private static SeiNodeStatus initializing(PlanPhase phase) {
    TaskPlan active = aPlan(PlanKind.INIT, "sei:b", "x").build();
    return SeiNodeStatus.empty()
        .with(
            builder ->
                builder
                    .phase(NodePhase.INITIALIZING)
                    .plan(phase == PlanPhase.ACTIVE ? active : ended(active, phase)));
  }

  private static TaskPlan ended(TaskPlan plan, PlanPhase phase) {
    var detail = new FailedTaskDetail("x", "id-x", "broken", 0, 0);
    return plan.with(
        builder ->
            builder
                .phase(phase)
                .finishedAt(LATER)
                .failedTaskDetail(phase == PlanPhase.FAILED ? detail : null));
  }
}
