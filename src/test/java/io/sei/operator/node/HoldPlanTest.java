package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.Maintenance.Hold;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.Step;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Decides on the plans of a node whose seid is to be held. */
class HoldPlanTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final NodeSample RUNS = aNode(A).running().withPod();
  private static final NodeSample HELD = aNode(A).held().running().withPod();
  private static final List<String> POD_TASKS =
      List.of("apply-statefulset", "apply-service", "replace-pod", "observe-image");
  private static final PlanDecision REST = new PlanDecision.Rest();
  private static final PlanDecision CONTINUE = new PlanDecision.Continue();

  static Stream<Arguments> withoutPlan() {
    var config = new AppliedConfig("c1:other", null, null, null, null, null);
    NodeSample neverRan = HELD.status(status -> status.withPhase(NodePhase.INITIALIZING));
    return Stream.of(
        row("to be held", RUNS.held(), settings()),
        row("held", HELD, REST),
        row("held, otherwise configured", HELD.status(status -> status.withConfig(config)), REST),
        row("held, image edited", HELD.image(B), update("image sei:a -> sei:b")),
        row("released", HELD.released(), settings()),
        row("new", aNode(A).held(), init()),
        row("new, held", neverRan, REST),
        row("new, released", neverRan.released(), init()));
  }

  static Stream<Arguments> withPlan() {
    TaskPlan mark = aPlan(PlanKind.MARK_READY, A, "mark-ready").build();
    NodeSample awaits = RUNS.plan(holdPlan(1));
    return Stream.of(
        row("about to start", RUNS.plan(mark).held(), settings()),
        row("waits for exit", heldAfterExit(awaits), CONTINUE),
        row(
            "waits no longer",
            awaits.held(),
            update("spec.maintenance.hold no longer waits for an exit")),
        row("has exited", RUNS.plan(holdPlan(2)).held(), CONTINUE),
        row("released before exit", awaits, settings()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"withoutPlan", "withPlan"})
  void decides(String name, NodeSample node, PlanDecision decision) {
    assertThat(
            new NodePlanner(plan -> true, OfflineNode.OPERATIONS)
                .decide(node.sidecar(SidecarHealth.NOT_READY).view()))
        .isEqualTo(decision);
  }

  @Test
  void holdReplacesThePodAndAsksTheSidecarForNothing() {
    assertThat(types(plan(RUNS.held()))).isEqualTo(POD_TASKS);
  }

  @Test
  void holdAfterAnExitReplacesThePodOnceSeidHasEnded() {
    assertThat(types(plan(heldAfterExit(RUNS))))
        .startsWith("mark-not-ready", "await-exit")
        .endsWith(POD_TASKS.toArray(String[]::new));
  }

  @Test
  void whereSeidDoesNotRunNoExitIsWaitedFor() {
    assertThat(types(plan(heldAfterExit(HELD)))).isEqualTo(POD_TASKS);
    assertThat(types(plan(heldAfterExit(RUNS.withoutPod())))).isEqualTo(POD_TASKS);
  }

  @Test
  void newNodeThatIsHeldGetsAPodAndIsNotInitialized() {
    var replayed = new Snapshot(new Snapshot.S3(10L), null, null, null, "sei:old");
    NodeSample node = aNode(A).held().spec(spec -> spec.withFullNode(new FullNode(replayed, null)));

    PlanSpec plan = OfflineNode.PLANS.of(PlanKind.INIT, node.view());

    assertThat(types(plan))
        .startsWith("ensure-data-pvc", "apply-rbac-proxy-config")
        .endsWith(POD_TASKS.toArray(String[]::new))
        .hasSize(2 + POD_TASKS.size());
    assertThat(plan.targetPhase()).as("it has not run").isNull();
  }

  private static Arguments row(String name, NodeSample node, PlanDecision decision) {
    return Arguments.of(name, node, decision);
  }

  private static PlanDecision settings() {
    return update("pod settings changed");
  }

  private static PlanDecision update(String why) {
    return new PlanDecision.Start(PlanKind.UPDATE, why, 0);
  }

  private static PlanDecision init() {
    return new PlanDecision.Start(PlanKind.INIT, "the node has never run", 0);
  }

  private static TaskPlan holdPlan(int complete) {
    TaskPlan plan =
        aPlan(PlanKind.UPDATE, A, "mark-not-ready", "await-exit", "replace-pod")
            .complete(complete)
            .build();
    return plan.withTarget(plan.target().withSpecHash(aNode(A).held().specHash()));
  }

  private static NodeSample heldAfterExit(NodeSample node) {
    return node.spec(spec -> spec.withMaintenance(new Maintenance(Hold.AFTER_EXIT)));
  }

  private static PlanSpec plan(NodeSample node) {
    return OfflineNode.PLANS.of(PlanKind.UPDATE, node.view());
  }

  private static List<String> types(PlanSpec plan) {
    return plan.tasks().stream().map(Step::type).toList();
  }
}
