package io.sei.operator.node;

import static io.sei.operator.node.Snapshots.held;
import static io.sei.operator.node.Snapshots.heldPod;
import static io.sei.operator.node.Snapshots.node;
import static io.sei.operator.node.Snapshots.pod;
import static io.sei.operator.node.Snapshots.running;
import static io.sei.operator.node.Snapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.Maintenance.Hold;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.Step;
import io.sei.operator.render.SpecHash;
import io.sei.operator.sidecar.SidecarHealth;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The plans of a node whose seid is to be kept from running. */
class HoldPlanTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final Optional<Pod> POD = Optional.of(pod(A));
  private static final Optional<Pod> HELD_POD = Optional.of(heldPod(A));
  private static final List<String> POD_TASKS =
      List.of("apply-statefulset", "apply-service", "replace-pod", "observe-image");
  private static final PlanDecision REST = new PlanDecision.Rest();
  private static final PlanDecision CONTINUE = new PlanDecision.Continue();

  static Stream<Arguments> withoutPlan() {
    SeiNodeStatus holding = running(A).withPodSpecHash(SpecHash.of(held(node(A))));
    SeiNodeStatus configured =
        holding.withConfig(new AppliedConfig("c1:other", null, null, null, null, null));
    SeiNodeStatus neverRan = holding.withPhase(NodePhase.INITIALIZING);
    return Stream.of(
        row("to be held", held(node(A)), running(A), POD, settings()),
        row("held", held(node(A)), holding, HELD_POD, REST),
        row("held, otherwise configured", held(node(A)), configured, HELD_POD, REST),
        row("held, image edited", held(node(B)), holding, HELD_POD, update("image sei:a -> sei:b")),
        row("released", node(A), holding, HELD_POD, settings()),
        row("new", held(node(A)), SeiNodeStatus.empty(), Optional.empty(), init()),
        row("new, held", held(node(A)), neverRan, HELD_POD, REST),
        row("new, released", node(A), neverRan, HELD_POD, init()));
  }

  static Stream<Arguments> withPlan() {
    TaskPlan mark = Snapshots.plan(PlanKind.MARK_READY, PlanPhase.ACTIVE, A, 0, "mark-ready");
    SeiNodeStatus awaits = running(A).withPlan(holdPlan(1));
    SeiNodeStatus exited = running(A).withPlan(holdPlan(2));
    return Stream.of(
        row("about to start", held(node(A)), running(A).withPlan(mark), POD, settings()),
        row("waits for exit", afterExit(), awaits, POD, CONTINUE),
        row(
            "waits no longer",
            held(node(A)),
            awaits,
            POD,
            update("spec.maintenance.hold no longer waits for an exit")),
        row("has exited", held(node(A)), exited, POD, CONTINUE),
        row("released before exit", node(A), awaits, POD, settings()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"withoutPlan", "withPlan"})
  void decides(
      String name, SeiNode node, SeiNodeStatus status, Optional<Pod> pod, PlanDecision decision) {
    assertThat(
            new NodePlanner(plan -> true, Snapshots.FEATURES)
                .decide(snapshot(node, status, pod, SidecarHealth.NOT_READY)))
        .isEqualTo(decision);
  }

  @Test
  void holdReplacesThePodAndAsksTheSidecarForNothing() {
    assertThat(types(plan(held(node(A)), POD))).isEqualTo(POD_TASKS);
  }

  @Test
  void holdAfterAnExitReplacesThePodOnceSeidHasEnded() {
    assertThat(types(plan(afterExit(), POD)))
        .startsWith("mark-not-ready", "await-exit")
        .endsWith(POD_TASKS.toArray(String[]::new));
  }

  @Test
  void whereSeidDoesNotRunNoExitIsWaitedFor() {
    assertThat(types(plan(afterExit(), HELD_POD))).isEqualTo(POD_TASKS);
    assertThat(types(plan(afterExit(), Optional.empty()))).isEqualTo(POD_TASKS);
  }

  @Test
  void newNodeThatIsHeldGetsAPodAndIsNotInitialized() {
    var replayed = new Snapshot(new Snapshot.S3(10L), null, null, null, "sei:old");
    SeiNode node = held(node(A));
    node.setSpec(node.getSpec().withFullNode(new FullNode(replayed, null)));

    PlanSpec plan =
        Snapshots.PLANS.of(
            PlanKind.INIT, snapshot(node, SeiNodeStatus.empty(), Optional.empty(), null));

    assertThat(types(plan))
        .startsWith("ensure-data-pvc", "apply-rbac-proxy-config")
        .endsWith(POD_TASKS.toArray(String[]::new))
        .hasSize(2 + POD_TASKS.size());
    assertThat(plan.targetPhase()).as("it has not run").isNull();
  }

  private static Arguments row(
      String name, SeiNode node, SeiNodeStatus status, Optional<Pod> pod, PlanDecision decision) {
    return Arguments.of(name, node, status, pod, decision);
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
        Snapshots.plan(
            PlanKind.UPDATE,
            PlanPhase.ACTIVE,
            A,
            complete,
            "mark-not-ready",
            "await-exit",
            "replace-pod");
    return plan.withTarget(plan.target().withSpecHash(SpecHash.of(held(node(A)))));
  }

  private static SeiNode afterExit() {
    SeiNode node = node(A);
    node.setSpec(node.getSpec().withMaintenance(new Maintenance(Hold.AFTER_EXIT)));
    return node;
  }

  private static PlanSpec plan(SeiNode node, Optional<Pod> pod) {
    return Snapshots.PLANS.of(PlanKind.UPDATE, snapshot(node, running(A), pod, null));
  }

  private static List<String> types(PlanSpec plan) {
    return plan.tasks().stream().map(Step::type).toList();
  }
}
