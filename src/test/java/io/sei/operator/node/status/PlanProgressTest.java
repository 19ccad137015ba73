package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdateBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which changes of a status may be written with the next other one. */
class PlanProgressTest {

  private static final TaskPlan PLAN = aPlan(PlanKind.UPDATE, "sei:b", "replace-pod").build();

  private static final SeiNodeStatus BEFORE = aNode("sei:a").running().plan(PLAN).status();

  private static final SeiNodeStatus PROGRESSED =
      BEFORE.withPlan(withTask(task -> task.withReason("PodTerminating")));

  private static final PodUpdate IN_PLACE =
      PodUpdateBuilder.builder()
          .podUid("pod")
          .how(PodUpdate.How.IN_PLACE)
          .revision("node-2")
          .specHash(PLAN.target().specHash())
          .build();

  @Test
  void progressOfAnActivePlanIsDeferred() {
    assertThat(isDeferred(PROGRESSED)).isTrue();
    assertThat(isDeferred(PROGRESSED.withCurrentImage("sei:b"))).isTrue();
    assertThat(isDeferred(PROGRESSED.withPodUpdate(IN_PLACE))).isTrue();
  }

  @Test
  void nothingElseIsDeferredWithIt() {
    assertThat(isDeferred(BEFORE)).isFalse();
    assertThat(isDeferred(PROGRESSED.withNodeId("id"))).isFalse();
    assertThat(isDeferred(withCondition(PROGRESSED, NodeConditionType.UP_TO_DATE))).isFalse();
  }

  @Test
  void anotherPlanAndTheEndOfOneAreWritten() {
    assertThat(isDeferred(PROGRESSED.withPlan(PROGRESSED.plan().withId("another")))).isFalse();
    assertThat(NodeStatus.isProgressOnly(BEFORE.withPlan(null), PROGRESSED)).isFalse();
    assertThat(isDeferred(BEFORE.withPlan(null))).isFalse();
  }

  @ParameterizedTest
  @EnumSource(value = PlanPhase.class, names = "ACTIVE", mode = EnumSource.Mode.EXCLUDE)
  void aPlanThatIsNotActiveIsWritten(PlanPhase phase) {
    assertThat(isDeferred(BEFORE.withPlan(PLAN.withPhase(phase)))).isFalse();
  }

  @Test
  void aRetryIsWritten() {
    TaskPlan retried = withTask(task -> task.with(builder -> builder.retryCount(1).retryAt(NOW)));

    assertThat(isDeferred(BEFORE.withPlan(retried))).isFalse();
  }

  @Test
  void readinessIsDeferredOnlyWhileThePodIsUpdatedInPlace() {
    SeiNodeStatus unready = withCondition(PROGRESSED, NodeConditionType.READY);

    assertThat(isDeferred(unready)).isFalse();
    assertThat(isDeferred(unready.withPodUpdate(IN_PLACE))).isTrue();
    assertThat(isDeferred(unready.withPodUpdate(IN_PLACE.withRevision(null)))).isFalse();
    assertThat(isDeferred(unready.withPodUpdate(IN_PLACE.withHow(PodUpdate.How.RECREATE))))
        .isFalse();
    assertThat(isDeferred(unready.withPodUpdate(IN_PLACE.withSpecHash("another")))).isFalse();
  }

  private static boolean isDeferred(SeiNodeStatus reached) {
    return NodeStatus.isProgressOnly(BEFORE, reached);
  }

  private static TaskPlan withTask(UnaryOperator<PlannedTask> change) {
    return PLAN.withTasks(List.of(change.apply(PLAN.tasks().getFirst())));
  }

  private static SeiNodeStatus withCondition(SeiNodeStatus status, NodeConditionType type) {
    return status.withConditions(
        Conditions.with(
            status.conditions(),
            type,
            ConditionStatus.FALSE,
            NodeReason.POD_NOT_READY,
            "words",
            1L,
            NOW));
  }
}
