package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ConfigHash;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodePlannerTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final NodeSample RUNS = aNode(A).running().withPod();
  private static final NodeSample LEAVING = RUNS.withPod(aPod(RUNS).terminating(NOW));
  private static final PlanDecision TO_A = update("image sei:b -> sei:a");
  private static final PlanDecision TO_B = update("image sei:a -> sei:b");
  private static final PlanDecision TO_B_AGAIN =
      new PlanDecision.Start(PlanKind.UPDATE, "image sei:a -> sei:b", 1);
  private static final PlanDecision REST = new PlanDecision.Rest();
  private static final PlanDecision CONTINUE = new PlanDecision.Continue();

  static Stream<Arguments> withoutPlan() {
    var another = new AppliedConfig("c0:1", NOW, null, null, null, null);
    return Stream.of(
        row("new", aNode(A), init("the node has never run")),
        row("new with a pod", aNode(A).withPod(), init("the node has never run")),
        row("settled", RUNS.sidecar(SidecarHealth.READY), REST),
        row("not probed", RUNS, REST),
        row("sidecar down", RUNS.sidecar(SidecarHealth.UNREACHABLE), REST),
        row("configured", configured(RUNS).sidecar(SidecarHealth.READY), REST),
        row("override edited", overridden(configured(RUNS)), config()),
        row("edited, no pod", overridden(configured(RUNS)).withoutPod(), REST),
        row("edited, pod leaving", overridden(configured(LEAVING)), REST),
        row(
            "override edited, sidecar waits",
            overridden(configured(RUNS)).sidecar(SidecarHealth.NOT_READY),
            config()),
        row("override and image edited", overridden(configured(RUNS)).image(B), TO_B),
        row("taken over", overridden(RUNS), REST),
        row(
            "configured by another version",
            overridden(RUNS.status(status -> status.withConfig(another))),
            REST),
        row("sidecar lost flag", RUNS.sidecar(SidecarHealth.NOT_READY), markReady()),
        row("pod between two lives", RUNS.withoutPod(), REST),
        row("pod leaving", LEAVING.sidecar(SidecarHealth.NOT_READY), REST),
        row("image edited", RUNS.image(B), TO_B),
        row("edited, no pod", RUNS.withoutPod().image(B), TO_B),
        row("pod is another's", RUNS.withPod(aPod(aNode(B))), TO_A),
        row(
            "restart asked",
            RUNS.annotation(Annotations.RESTART_REQUESTED_AT, "now"),
            update("pod settings changed")),
        row(
            "record is behind",
            RUNS.status(status -> status.withCurrentImage(null)),
            update("pod settings changed")));
  }

  static Stream<Arguments> withActivePlan() {
    TaskPlan update = aPlan(PlanKind.UPDATE, B, "apply-statefulset", "x").complete(1).build();
    TaskPlan init = aPlan(PlanKind.INIT, B, "ensure-data-pvc", "x").complete(1).build();
    TaskPlan unclaimed = aPlan(PlanKind.INIT, B, "ensure-data-pvc").build();
    TaskPlan mark = aPlan(PlanKind.MARK_READY, A, "mark-ready").build();
    NodeSample synced = stateSynced(initializing(unclaimed));
    return Stream.of(
        row("same target", RUNS.image(B).plan(update), CONTINUE),
        row("no claim yet", initializing(unclaimed), CONTINUE),
        row("to be empty after all", synced.generation(8), init("the source of the data changed")),
        row("not edited", synced, CONTINUE),
        row("claimed", stateSynced(initializing(init)), CONTINUE),
        row("back to A", RUNS.plan(update), TO_A),
        row("on to C", RUNS.image("sei:c").plan(update), update("image sei:b -> sei:c")),
        row("init, same", initializing(init), CONTINUE),
        row("init, other", initializing(init).image(A), init("image sei:b -> sei:a")),
        row("mark-ready", RUNS.plan(mark), CONTINUE),
        row("edit in mark-ready", RUNS.image(B).plan(mark), TO_B),
        row(
            "other StatefulSet",
            RUNS.image(B).plan(target(update, target -> target.withStatefulSetUid("other"))),
            update("the StatefulSet was replaced")),
        row(
            "no StatefulSet recorded yet",
            initializing(target(init, target -> target.withStatefulSetUid(null))),
            CONTINUE));
  }

  static Stream<Arguments> withPlanOfAnotherConfiguration() {
    TaskPlan update = aPlan(PlanKind.UPDATE, B, "apply-statefulset", "x").complete(1).build();
    TaskPlan init = aPlan(PlanKind.INIT, B, "ensure-data-pvc", "x").complete(1).build();
    TaskPlan config = aPlan(PlanKind.CONFIG, A, "config-apply").build();
    TaskPlan mark = aPlan(PlanKind.MARK_READY, A, "mark-ready").build();
    TaskPlan failed = failed(PlanKind.CONFIG);
    NodeSample runsB = aNode(B).running().withPod();
    return Stream.of(
        row("update", overridden(RUNS.image(B)).plan(update), reconfigure(PlanKind.UPDATE)),
        row("init", overridden(initializing(init)), reconfigure(PlanKind.INIT)),
        row("config", overridden(RUNS).plan(config), reconfigure(PlanKind.CONFIG)),
        row("mark-ready", overridden(RUNS).plan(mark), CONTINUE),
        row(
            "of a build that captured none",
            overridden(RUNS.image(B)).plan(target(update, target -> target.withConfigHash(null))),
            CONTINUE),
        row("config, failed", runsB.plan(failed), backOff(10)),
        row("config, failed, edited", overridden(runsB).plan(failed), reconfigure(PlanKind.CONFIG)),
        row(
            "update, failed, edited",
            overridden(runsB).plan(failed(PlanKind.UPDATE)),
            reconfigure(PlanKind.UPDATE)));
  }

  static Stream<Arguments> withUnreadablePlan() {
    TaskPlan update = aPlan(PlanKind.UPDATE, B, "apply-statefulset", "x").complete(1).build();
    NodeSample edited = RUNS.image(B);
    return Stream.of(
        row("no target", edited.plan(update.withTarget(null)), foreign()),
        row("no task", edited.plan(update.withTasks(List.of())), foreign()),
        row("no phase", edited.plan(update.withPhase(null)), foreign()),
        row("no kind", edited.plan(update.withKind(null)), foreign()),
        row("no id", edited.plan(update.withId(null)), foreign()),
        row("no hash", edited.plan(target(update, target -> target.withSpecHash(null))), foreign()),
        row("unknown task", edited.plan(aPlan(PlanKind.UPDATE, B, "unknown").build()), foreign()));
  }

  static Stream<Arguments> withFailedPlan() {
    TaskPlan update = failed(PlanKind.UPDATE);
    NodeSample init = initializing(failed(PlanKind.INIT));
    NodeSample edited = RUNS.image(B);
    return Stream.of(
        row("init rests", init, REST),
        row("init, retry", init.annotation(Annotations.RETRY, "1"), init("a retry was requested")),
        row("init, edit", init.generation(8), init("the spec changed")),
        row("init, image", init.image(A), init("image sei:b -> sei:a")),
        row("update backs off", edited.plan(update), backOff(10)),
        row(
            "update, retry",
            edited.plan(update).annotation(Annotations.RETRY, "1"),
            update("a retry was requested")),
        row("update, later", edited.plan(update.withFinishedAt(NOW.minusSeconds(10))), TO_B_AGAIN),
        row(
            "update, ended in times to come",
            edited.plan(update.withFinishedAt(NOW.plusSeconds(1_000_000_000))),
            TO_B_AGAIN),
        row("update, third time", edited.plan(update.withAttempt(2)), backOff(40)),
        row("update, back to what runs", RUNS.plan(update), TO_A));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({
    "withoutPlan",
    "withActivePlan",
    "withPlanOfAnotherConfiguration",
    "withUnreadablePlan",
    "withFailedPlan"
  })
  void decides(String name, NodeSample node, PlanDecision decision) {
    var planner =
        new NodePlanner(
            plan -> plan.tasks().stream().noneMatch(task -> task.type().equals("unknown")),
            OfflineNode.OPERATIONS);

    assertThat(planner.decide(node.view())).isEqualTo(decision);
  }

  private static Arguments row(String name, NodeSample node, PlanDecision decision) {
    return Arguments.of(name, node, decision);
  }

  /** A node of image B that has not run yet. */
  private static NodeSample initializing(TaskPlan plan) {
    NodePhase phase = plan.isFailed() ? NodePhase.FAILED : NodePhase.INITIALIZING;
    return aNode(B)
        .running()
        .status(
            status ->
                status.with(
                    draft -> draft.phase(phase).currentImage(null).podSpecHash(null).plan(plan)));
  }

  private static TaskPlan failed(PlanKind kind) {
    return aPlan(kind, B, "x").phase(PlanPhase.FAILED).build().withFinishedAt(NOW);
  }

  private static TaskPlan target(TaskPlan plan, UnaryOperator<PlanTarget> change) {
    return plan.withTarget(change.apply(plan.target()));
  }

  private static NodeSample stateSynced(NodeSample node) {
    var stateSync = new Snapshot(null, new Snapshot.StateSync(), null, null, null);
    return node.spec(spec -> spec.withFullNode(new FullNode(stateSync, null)));
  }

  private static NodeSample overridden(NodeSample node) {
    return node.spec(spec -> spec.withOverrides(Map.of("mempool.size", "10")));
  }

  private static NodeSample configured(NodeSample node) {
    String hash = ConfigHash.of(node.build().getSpec());
    var config = new AppliedConfig(hash, NOW, List.of(), null, null, null);
    return node.status(status -> status.withConfig(config));
  }

  private static PlanDecision config() {
    return reconfigure(PlanKind.CONFIG);
  }

  private static PlanDecision reconfigure(PlanKind kind) {
    return new PlanDecision.Start(kind, "the configuration changed", 0);
  }

  private static PlanDecision init(String why) {
    return new PlanDecision.Start(PlanKind.INIT, why, 0);
  }

  private static PlanDecision update(String why) {
    return new PlanDecision.Start(PlanKind.UPDATE, why, 0);
  }

  private static PlanDecision markReady() {
    return new PlanDecision.Start(PlanKind.MARK_READY, "the sidecar restarted", 0);
  }

  private static PlanDecision foreign() {
    return update("the stored plan is from another version of the operator");
  }

  private static PlanDecision backOff(int seconds) {
    return new PlanDecision.BackOff(Duration.ofSeconds(seconds));
  }
}
