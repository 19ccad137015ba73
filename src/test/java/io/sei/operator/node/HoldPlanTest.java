package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.Maintenance.Hold;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
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
  private static final Optional<Pod> POD = Optional.of(aPod(aNode(A)).build());
  private static final Optional<Pod> HELD_POD = Optional.of(aPod(aNode(A).held()).build());
  private static final List<String> POD_TASKS =
      List.of("apply-statefulset", "apply-service", "replace-pod", "observe-image");
  private static final PlanDecision REST = new PlanDecision.Rest();
  private static final PlanDecision CONTINUE = new PlanDecision.Continue();

  static Stream<Arguments> withoutPlan() {
    SeiNodeStatus holding =
        aNode(A).running().status().withPodSpecHash(SpecHash.of(aNode(A).held().build()));
    SeiNodeStatus configured =
        holding.withConfig(new AppliedConfig("c1:other", null, null, null, null, null));
    SeiNodeStatus neverRan = holding.withPhase(NodePhase.INITIALIZING);
    return Stream.of(
        row("to be held", aNode(A).held().build(), aNode(A).running().status(), POD, settings()),
        row("held", aNode(A).held().build(), holding, HELD_POD, REST),
        row("held, otherwise configured", aNode(A).held().build(), configured, HELD_POD, REST),
        row(
            "held, image edited",
            aNode(B).held().build(),
            holding,
            HELD_POD,
            update("image sei:a -> sei:b")),
        row("released", aNode(A).build(), holding, HELD_POD, settings()),
        row("new", aNode(A).held().build(), SeiNodeStatus.empty(), Optional.empty(), init()),
        row("new, held", aNode(A).held().build(), neverRan, HELD_POD, REST),
        row("new, released", aNode(A).build(), neverRan, HELD_POD, init()));
  }

  static Stream<Arguments> withPlan() {
    TaskPlan mark = aPlan(PlanKind.MARK_READY, A, "mark-ready").build();
    SeiNodeStatus awaits = aNode(A).running().status().withPlan(holdPlan(1));
    SeiNodeStatus exited = aNode(A).running().status().withPlan(holdPlan(2));
    return Stream.of(
        row(
            "about to start",
            aNode(A).held().build(),
            aNode(A).running().status().withPlan(mark),
            POD,
            settings()),
        row("waits for exit", afterExit(), awaits, POD, CONTINUE),
        row(
            "waits no longer",
            aNode(A).held().build(),
            awaits,
            POD,
            update("spec.maintenance.hold no longer waits for an exit")),
        row("has exited", aNode(A).held().build(), exited, POD, CONTINUE),
        row("released before exit", aNode(A).build(), awaits, POD, settings()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"withoutPlan", "withPlan"})
  void decides(
      String name, SeiNode node, SeiNodeStatus status, Optional<Pod> pod, PlanDecision decision) {
    assertThat(
            new NodePlanner(plan -> true, OfflineNode.FEATURES)
                .decide(
                    aNode(node).status(status).pod(pod).sidecar(SidecarHealth.NOT_READY).view()))
        .isEqualTo(decision);
  }

  @Test
  void holdReplacesThePodAndAsksTheSidecarForNothing() {
    assertThat(types(plan(aNode(A).held().build(), POD))).isEqualTo(POD_TASKS);
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
    SeiNode node =
        aNode(A).held().spec(spec -> spec.withFullNode(new FullNode(replayed, null))).build();

    PlanSpec plan = OfflineNode.PLANS.of(PlanKind.INIT, aNode(node).view());

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
        aPlan(PlanKind.UPDATE, A, "mark-not-ready", "await-exit", "replace-pod")
            .complete(complete)
            .build();
    return plan.withTarget(plan.target().withSpecHash(SpecHash.of(aNode(A).held().build())));
  }

  private static SeiNode afterExit() {
    return aNode(A).spec(spec -> spec.withMaintenance(new Maintenance(Hold.AFTER_EXIT))).build();
  }

  private static PlanSpec plan(SeiNode node, Optional<Pod> pod) {
    return OfflineNode.PLANS.of(
        PlanKind.UPDATE, aNode(node).status(aNode(A).running().status()).pod(pod).view());
  }

  private static List<String> types(PlanSpec plan) {
    return plan.tasks().stream().map(Step::type).toList();
  }
}
