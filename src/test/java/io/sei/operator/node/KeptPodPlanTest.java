package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.sidecar.SidecarHealth;
import org.junit.jupiter.api.Test;

/** Plans for a node whose pod may not be ended. */
class KeptPodPlanTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";

  private final NodePlanner planner = new NodePlanner(plan -> true, OfflineNode.OPERATIONS);

  @Test
  void podIsNotReplaced() {
    assertThat(planner.decide(kept(B, null, SidecarHealth.READY)))
        .isEqualTo(new PlanDecision.Rest());
  }

  @Test
  void sidecarIsStillMarkedReady() {
    assertThat(planner.decide(kept(B, null, SidecarHealth.NOT_READY)))
        .isEqualTo(new PlanDecision.Start(PlanKind.MARK_READY, "the sidecar restarted", 0));
  }

  @Test
  void updateThatWaitsForThePodGivesWayToItsSidecar() {
    TaskPlan update =
        aPlan(PlanKind.UPDATE, B, "apply-statefulset", "replace-pod").complete(1).build();

    assertThat(planner.decide(kept(B, update, SidecarHealth.READY)))
        .isEqualTo(new PlanDecision.Continue());
    assertThat(planner.decide(kept(B, update, SidecarHealth.NOT_READY)))
        .isEqualTo(
            new PlanDecision.Start(
                PlanKind.MARK_READY, "the sidecar restarted, in a pod that is kept", 0));
  }

  private static NodeView kept(String image, TaskPlan plan, SidecarHealth sidecar) {
    return aNode(A).running().withPod().plan(plan).image(image).sidecar(sidecar).atRisk().view();
  }
}
