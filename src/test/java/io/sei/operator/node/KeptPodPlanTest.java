package io.sei.operator.node;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeView;
import io.sei.operator.node.model.VolumeRisk;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.sidecar.SidecarHealth;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is planned for a node whose pod may not be ended. */
class KeptPodPlanTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";

  private final NodePlanner planner = new NodePlanner(plan -> true, Snapshots.FEATURES);

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
        Snapshots.plan(PlanKind.UPDATE, PlanPhase.ACTIVE, B, 1, "apply-statefulset", "replace-pod");

    assertThat(planner.decide(kept(B, update, SidecarHealth.READY)))
        .isEqualTo(new PlanDecision.Continue());
    assertThat(planner.decide(kept(B, update, SidecarHealth.NOT_READY)))
        .isEqualTo(
            new PlanDecision.Start(
                PlanKind.MARK_READY, "the sidecar restarted, in a pod that is kept", 0));
  }

  private static NodeView kept(String image, TaskPlan plan, SidecarHealth sidecar) {
    SeiNode node = Snapshots.node(image);
    var claim =
        yaml(
            PersistentVolumeClaim.class,
            """
            metadata: {name: data-node, uid: claim, deletionTimestamp: "2026-01-01T00:00:00Z"}
            spec: {}
            """);
    return Snapshots.snapshot(
            node, Snapshots.running(A).withPlan(plan), Optional.of(Snapshots.pod(A)), sidecar)
        .withRisk(VolumeRisk.of(node, claim, Optional.empty()));
  }
}
