package io.sei.operator.node;

import static io.sei.operator.node.Snapshots.NOW;
import static io.sei.operator.node.Snapshots.node;
import static io.sei.operator.node.Snapshots.plan;
import static io.sei.operator.node.Snapshots.pod;
import static io.sei.operator.node.Snapshots.running;
import static io.sei.operator.node.Snapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.progression.ConfigHash;
import io.sei.operator.render.Annotations;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.PodSample;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodePlannerTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final SeiNodeStatus NEW = SeiNodeStatus.empty();
  private static final Optional<Pod> NO_POD = Optional.empty();
  private static final Optional<Pod> POD_A = Optional.of(pod(A));
  private static final Optional<Pod> POD_B = Optional.of(pod(B));
  private static final Optional<Pod> LEAVING_A =
      Optional.of(PodSample.of(pod(A)).terminating(NOW).build());
  private static final PlanDecision REST = new PlanDecision.Rest();
  private static final PlanDecision CONTINUE = new PlanDecision.Continue();

  static Stream<Arguments> withoutPlan() {
    return Stream.of(
        row("new", node(A), NEW, NO_POD, null, init("the node has never run")),
        row("new with a pod", node(A), NEW, POD_A, null, init("the node has never run")),
        row("settled", node(A), running(A), POD_A, SidecarHealth.READY, REST),
        row("not probed", node(A), running(A), POD_A, null, REST),
        row("sidecar down", node(A), running(A), POD_A, SidecarHealth.UNREACHABLE, REST),
        row("configured", node(A), configured(), POD_A, SidecarHealth.READY, REST),
        row("override edited", overridden(A), configured(), POD_A, null, config()),
        row("edited, no pod", overridden(A), configured(), NO_POD, null, REST),
        row("edited, pod leaving", overridden(A), configured(), LEAVING_A, null, REST),
        row(
            "override edited, sidecar waits",
            overridden(A),
            configured(),
            POD_A,
            SidecarHealth.NOT_READY,
            config()),
        row(
            "override and image edited",
            overridden(B),
            configured(),
            POD_A,
            null,
            update("image sei:a -> sei:b")),
        row("taken over", overridden(A), running(A), POD_A, null, REST),
        row(
            "configured by another version",
            overridden(A),
            running(A).withConfig(new AppliedConfig("c0:1", NOW, null, null, null, null)),
            POD_A,
            null,
            REST),
        row("sidecar lost flag", node(A), running(A), POD_A, SidecarHealth.NOT_READY, markReady()),
        row("pod between two lives", node(A), running(A), NO_POD, null, REST),
        row("pod leaving", node(A), running(A), LEAVING_A, SidecarHealth.NOT_READY, REST),
        row("image edited", node(B), running(A), POD_A, null, update("image sei:a -> sei:b")),
        row("edited, no pod", node(B), running(A), NO_POD, null, update("image sei:a -> sei:b")),
        row("pod is another's", node(A), running(A), POD_B, null, update("image sei:b -> sei:a")),
        row("restart asked", restart(A), running(A), POD_A, null, update("pod settings changed")),
        row(
            "record is behind",
            node(A),
            running(A).withCurrentImage(null),
            POD_A,
            null,
            update("pod settings changed")));
  }

  static Stream<Arguments> withActivePlan() {
    TaskPlan update = plan(PlanKind.UPDATE, PlanPhase.ACTIVE, B, 1, "apply-statefulset", "x");
    TaskPlan init = plan(PlanKind.INIT, PlanPhase.ACTIVE, B, 1, "ensure-data-pvc", "x");
    TaskPlan unclaimed = plan(PlanKind.INIT, PlanPhase.ACTIVE, B, 0, "ensure-data-pvc");
    TaskPlan mark = plan(PlanKind.MARK_READY, PlanPhase.ACTIVE, A, 0, "mark-ready");
    return Stream.of(
        row("same target", node(B), running(A).withPlan(update), POD_A, null, CONTINUE),
        row("no claim yet", node(B), initializing(unclaimed), NO_POD, null, CONTINUE),
        row(
            "to be empty after all",
            synced(B, 8),
            initializing(unclaimed),
            NO_POD,
            null,
            init("the source of the data changed")),
        row("not edited", synced(B, 7), initializing(unclaimed), NO_POD, null, CONTINUE),
        row("claimed", synced(B, 7), initializing(init), NO_POD, null, CONTINUE),
        row(
            "back to A",
            node(A),
            running(A).withPlan(update),
            POD_A,
            null,
            update("image sei:b -> sei:a")),
        row(
            "on to C",
            node("sei:c"),
            running(A).withPlan(update),
            POD_A,
            null,
            update("image sei:b -> sei:c")),
        row("init, same", node(B), initializing(init), NO_POD, null, CONTINUE),
        row("init, other", node(A), initializing(init), NO_POD, null, init("image sei:b -> sei:a")),
        row("mark-ready", node(A), running(A).withPlan(mark), POD_A, null, CONTINUE),
        row(
            "edit in mark-ready",
            node(B),
            running(A).withPlan(mark),
            POD_A,
            null,
            update("image sei:a -> sei:b")),
        row(
            "other StatefulSet",
            node(B),
            running(A).withPlan(target(update, it -> it.withStatefulSetUid("other"))),
            POD_A,
            null,
            update("the StatefulSet was replaced")),
        row(
            "no StatefulSet recorded yet",
            node(B),
            initializing(target(init, it -> it.withStatefulSetUid(null))),
            NO_POD,
            null,
            CONTINUE));
  }

  static Stream<Arguments> withPlanOfAnotherConfiguration() {
    TaskPlan update = plan(PlanKind.UPDATE, PlanPhase.ACTIVE, B, 1, "apply-statefulset", "x");
    TaskPlan init = plan(PlanKind.INIT, PlanPhase.ACTIVE, B, 1, "ensure-data-pvc", "x");
    TaskPlan config = plan(PlanKind.CONFIG, PlanPhase.ACTIVE, A, 0, "config-apply");
    TaskPlan mark = plan(PlanKind.MARK_READY, PlanPhase.ACTIVE, A, 0, "mark-ready");
    TaskPlan failed = failed(PlanKind.CONFIG);
    return Stream.of(
        row(
            "update",
            overridden(B),
            running(A).withPlan(update),
            POD_A,
            null,
            reconfigure(PlanKind.UPDATE)),
        row("init", overridden(B), initializing(init), NO_POD, null, reconfigure(PlanKind.INIT)),
        row(
            "config",
            overridden(A),
            running(A).withPlan(config),
            POD_A,
            null,
            reconfigure(PlanKind.CONFIG)),
        row("mark-ready", overridden(A), running(A).withPlan(mark), POD_A, null, CONTINUE),
        row(
            "of a build that captured none",
            overridden(B),
            running(A).withPlan(target(update, it -> it.withConfigHash(null))),
            POD_A,
            null,
            CONTINUE),
        row("config, failed", node(B), running(B).withPlan(failed), POD_B, null, backOff(10)),
        row(
            "config, failed, edited",
            overridden(B),
            running(B).withPlan(failed),
            POD_B,
            null,
            reconfigure(PlanKind.CONFIG)),
        row(
            "update, failed, edited",
            overridden(B),
            running(B).withPlan(failed(PlanKind.UPDATE)),
            POD_B,
            null,
            reconfigure(PlanKind.UPDATE)));
  }

  static Stream<Arguments> withUnreadablePlan() {
    TaskPlan update = plan(PlanKind.UPDATE, PlanPhase.ACTIVE, B, 1, "apply-statefulset", "x");
    return Stream.of(
        row(
            "no target",
            node(B),
            running(A).withPlan(update.withTarget(null)),
            POD_A,
            null,
            foreign()),
        row(
            "no task",
            node(B),
            running(A).withPlan(update.withTasks(List.of())),
            POD_A,
            null,
            foreign()),
        row(
            "no phase",
            node(B),
            running(A).withPlan(update.withPhase(null)),
            POD_A,
            null,
            foreign()),
        row("no kind", node(B), running(A).withPlan(update.withKind(null)), POD_A, null, foreign()),
        row("no id", node(B), running(A).withPlan(update.withId(null)), POD_A, null, foreign()),
        row(
            "no hash",
            node(B),
            running(A).withPlan(target(update, it -> it.withSpecHash(null))),
            POD_A,
            null,
            foreign()),
        row(
            "unknown task",
            node(B),
            running(A).withPlan(plan(PlanKind.UPDATE, PlanPhase.ACTIVE, B, 0, "unknown")),
            POD_A,
            null,
            foreign()));
  }

  static Stream<Arguments> withFailedPlan() {
    TaskPlan init = failed(PlanKind.INIT);
    TaskPlan update = failed(PlanKind.UPDATE);
    SeiNode asked = node(B);
    asked.getMetadata().getAnnotations().put(Annotations.RETRY, "1");
    SeiNode edited = node(B);
    edited.getMetadata().setGeneration(8L);
    return Stream.of(
        row("init rests", node(B), initializing(init), NO_POD, null, REST),
        row("init, retry", asked, initializing(init), NO_POD, null, init("a retry was requested")),
        row("init, edit", edited, initializing(init), NO_POD, null, init("the spec changed")),
        row("init, image", node(A), initializing(init), NO_POD, null, init("image sei:b -> sei:a")),
        row("update backs off", node(B), running(A).withPlan(update), POD_A, null, backOff(10)),
        row(
            "update, retry",
            asked,
            running(A).withPlan(update),
            POD_A,
            null,
            update("a retry was requested")),
        row(
            "update, later",
            node(B),
            running(A).withPlan(update.withFinishedAt(NOW.minusSeconds(10))),
            POD_A,
            null,
            new PlanDecision.Start(PlanKind.UPDATE, "image sei:a -> sei:b", 1)),
        row(
            "update, ended in times to come",
            node(B),
            running(A).withPlan(update.withFinishedAt(NOW.plusSeconds(1_000_000_000))),
            POD_A,
            null,
            new PlanDecision.Start(PlanKind.UPDATE, "image sei:a -> sei:b", 1)),
        row(
            "update, third time",
            node(B),
            running(A).withPlan(update.withAttempt(2)),
            POD_A,
            null,
            backOff(40)),
        row(
            "update, back to what runs",
            node(A),
            running(A).withPlan(update),
            POD_A,
            null,
            update("image sei:b -> sei:a")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({
    "withoutPlan",
    "withActivePlan",
    "withPlanOfAnotherConfiguration",
    "withUnreadablePlan",
    "withFailedPlan"
  })
  void decides(
      String name,
      SeiNode node,
      SeiNodeStatus status,
      Optional<Pod> pod,
      SidecarHealth sidecar,
      PlanDecision decision) {
    var planner =
        new NodePlanner(
            plan -> plan.tasks().stream().noneMatch(task -> task.type().equals("unknown")),
            Snapshots.FEATURES);

    PlanDecision decided = planner.decide(snapshot(node, status, pod, sidecar));

    assertThat(decided).isEqualTo(decision);
  }

  private static Arguments row(
      String name,
      SeiNode node,
      SeiNodeStatus status,
      Optional<Pod> pod,
      SidecarHealth sidecar,
      PlanDecision decision) {
    return Arguments.of(name, node, status, pod, sidecar, decision);
  }

  private static SeiNodeStatus initializing(TaskPlan plan) {
    NodePhase phase = plan.isFailed() ? NodePhase.FAILED : NodePhase.INITIALIZING;
    return running(A).with(it -> it.phase(phase).currentImage(null).podSpecHash(null).plan(plan));
  }

  private static TaskPlan failed(PlanKind kind) {
    return plan(kind, PlanPhase.FAILED, B, 0, "x").withFinishedAt(NOW);
  }

  private static TaskPlan target(TaskPlan plan, UnaryOperator<PlanTarget> change) {
    return plan.withTarget(change.apply(plan.target()));
  }

  private static SeiNode synced(String image, long generation) {
    SeiNode node = node(image);
    node.getMetadata().setGeneration(generation);
    var stateSync = new Snapshot(null, new Snapshot.StateSync(), null, null, null);
    node.setSpec(node.getSpec().withFullNode(new FullNode(stateSync, null)));
    return node;
  }

  private static SeiNode restart(String image) {
    SeiNode node = node(image);
    node.getMetadata().getAnnotations().put(Annotations.RESTART_REQUESTED_AT, "now");
    return node;
  }

  private static SeiNode overridden(String image) {
    SeiNode node = node(image);
    node.setSpec(node.getSpec().withOverrides(Map.of("mempool.size", "10")));
    return node;
  }

  private static SeiNodeStatus configured() {
    String hash = ConfigHash.of(node(A).getSpec());
    return running(A).withConfig(new AppliedConfig(hash, NOW, List.of(), null, null, null));
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
