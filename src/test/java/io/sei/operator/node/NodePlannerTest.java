package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
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
  private static final Optional<Pod> POD_A = Optional.of(aPod(aNode(A)).build());
  private static final Optional<Pod> POD_B = Optional.of(aPod(aNode(B)).build());
  private static final Optional<Pod> LEAVING_A =
      Optional.of(aPod(aNode(A)).terminating(NOW).build());
  private static final PlanDecision TO_A = update("image sei:b -> sei:a");
  private static final PlanDecision TO_B = update("image sei:a -> sei:b");
  private static final PlanDecision TO_B_AGAIN =
      new PlanDecision.Start(PlanKind.UPDATE, "image sei:a -> sei:b", 1);
  private static final PlanDecision REST = new PlanDecision.Rest();
  private static final PlanDecision CONTINUE = new PlanDecision.Continue();

  static Stream<Arguments> withoutPlan() {
    return Stream.of(
        row("new", aNode(A).build(), NEW, NO_POD, init("the node has never run")),
        row("new with a pod", aNode(A).build(), NEW, init("the node has never run")),
        row(
            "settled",
            aNode(A).build(),
            aNode(A).running().status(),
            POD_A,
            SidecarHealth.READY,
            REST),
        row("not probed", aNode(A).build(), aNode(A).running().status(), REST),
        row(
            "sidecar down",
            aNode(A).build(),
            aNode(A).running().status(),
            POD_A,
            SidecarHealth.UNREACHABLE,
            REST),
        row("configured", aNode(A).build(), configured(), POD_A, SidecarHealth.READY, REST),
        row("override edited", overridden(A), configured(), config()),
        row("edited, no pod", overridden(A), configured(), NO_POD, REST),
        row("edited, pod leaving", overridden(A), configured(), LEAVING_A, REST),
        row(
            "override edited, sidecar waits",
            overridden(A),
            configured(),
            POD_A,
            SidecarHealth.NOT_READY,
            config()),
        row("override and image edited", overridden(B), configured(), TO_B),
        row("taken over", overridden(A), aNode(A).running().status(), REST),
        row(
            "configured by another version",
            overridden(A),
            aNode(A)
                .running()
                .status()
                .withConfig(new AppliedConfig("c0:1", NOW, null, null, null, null)),
            REST),
        row(
            "sidecar lost flag",
            aNode(A).build(),
            aNode(A).running().status(),
            POD_A,
            SidecarHealth.NOT_READY,
            markReady()),
        row("pod between two lives", aNode(A).build(), aNode(A).running().status(), NO_POD, REST),
        row(
            "pod leaving",
            aNode(A).build(),
            aNode(A).running().status(),
            LEAVING_A,
            SidecarHealth.NOT_READY,
            REST),
        row("image edited", aNode(B).build(), aNode(A).running().status(), TO_B),
        row("edited, no pod", aNode(B).build(), aNode(A).running().status(), NO_POD, TO_B),
        row("pod is another's", aNode(A).build(), aNode(A).running().status(), POD_B, TO_A),
        row(
            "restart asked",
            restart(A),
            aNode(A).running().status(),
            update("pod settings changed")),
        row(
            "record is behind",
            aNode(A).build(),
            aNode(A).running().status().withCurrentImage(null),
            update("pod settings changed")));
  }

  static Stream<Arguments> withActivePlan() {
    TaskPlan update = aPlan(PlanKind.UPDATE, B, "apply-statefulset", "x").complete(1).build();
    TaskPlan init = aPlan(PlanKind.INIT, B, "ensure-data-pvc", "x").complete(1).build();
    TaskPlan unclaimed = aPlan(PlanKind.INIT, B, "ensure-data-pvc").build();
    TaskPlan mark = aPlan(PlanKind.MARK_READY, A, "mark-ready").build();
    return Stream.of(
        row("same target", aNode(B).build(), with(update), CONTINUE),
        row("no claim yet", aNode(B).build(), initializing(unclaimed), NO_POD, CONTINUE),
        row(
            "to be empty after all",
            synced(B, 8),
            initializing(unclaimed),
            NO_POD,
            init("the source of the data changed")),
        row("not edited", synced(B, 7), initializing(unclaimed), NO_POD, CONTINUE),
        row("claimed", synced(B, 7), initializing(init), NO_POD, CONTINUE),
        row("back to A", aNode(A).build(), with(update), TO_A),
        row("on to C", aNode("sei:c").build(), with(update), update("image sei:b -> sei:c")),
        row("init, same", aNode(B).build(), initializing(init), NO_POD, CONTINUE),
        row(
            "init, other",
            aNode(A).build(),
            initializing(init),
            NO_POD,
            init("image sei:b -> sei:a")),
        row("mark-ready", aNode(A).build(), with(mark), CONTINUE),
        row("edit in mark-ready", aNode(B).build(), with(mark), TO_B),
        row(
            "other StatefulSet",
            aNode(B).build(),
            with(target(update, it -> it.withStatefulSetUid("other"))),
            update("the StatefulSet was replaced")),
        row(
            "no StatefulSet recorded yet",
            aNode(B).build(),
            initializing(target(init, it -> it.withStatefulSetUid(null))),
            NO_POD,
            CONTINUE));
  }

  static Stream<Arguments> withPlanOfAnotherConfiguration() {
    TaskPlan update = aPlan(PlanKind.UPDATE, B, "apply-statefulset", "x").complete(1).build();
    TaskPlan init = aPlan(PlanKind.INIT, B, "ensure-data-pvc", "x").complete(1).build();
    TaskPlan config = aPlan(PlanKind.CONFIG, A, "config-apply").build();
    TaskPlan mark = aPlan(PlanKind.MARK_READY, A, "mark-ready").build();
    TaskPlan failed = failed(PlanKind.CONFIG);
    return Stream.of(
        row("update", overridden(B), with(update), reconfigure(PlanKind.UPDATE)),
        row("init", overridden(B), initializing(init), NO_POD, reconfigure(PlanKind.INIT)),
        row("config", overridden(A), with(config), reconfigure(PlanKind.CONFIG)),
        row("mark-ready", overridden(A), with(mark), CONTINUE),
        row(
            "of a build that captured none",
            overridden(B),
            with(target(update, it -> it.withConfigHash(null))),
            CONTINUE),
        row(
            "config, failed",
            aNode(B).build(),
            aNode(B).running().status().withPlan(failed),
            POD_B,
            backOff(10)),
        row(
            "config, failed, edited",
            overridden(B),
            aNode(B).running().status().withPlan(failed),
            POD_B,
            reconfigure(PlanKind.CONFIG)),
        row(
            "update, failed, edited",
            overridden(B),
            aNode(B).running().status().withPlan(failed(PlanKind.UPDATE)),
            POD_B,
            reconfigure(PlanKind.UPDATE)));
  }

  static Stream<Arguments> withUnreadablePlan() {
    TaskPlan update = aPlan(PlanKind.UPDATE, B, "apply-statefulset", "x").complete(1).build();
    return Stream.of(
        row("no target", aNode(B).build(), with(update.withTarget(null)), foreign()),
        row("no task", aNode(B).build(), with(update.withTasks(List.of())), foreign()),
        row("no phase", aNode(B).build(), with(update.withPhase(null)), foreign()),
        row("no kind", aNode(B).build(), with(update.withKind(null)), foreign()),
        row("no id", aNode(B).build(), with(update.withId(null)), foreign()),
        row(
            "no hash",
            aNode(B).build(),
            with(target(update, it -> it.withSpecHash(null))),
            foreign()),
        row(
            "unknown task",
            aNode(B).build(),
            with(aPlan(PlanKind.UPDATE, B, "unknown").build()),
            foreign()));
  }

  static Stream<Arguments> withFailedPlan() {
    TaskPlan init = failed(PlanKind.INIT);
    TaskPlan update = failed(PlanKind.UPDATE);
    SeiNode asked = aNode(B).build();
    asked.getMetadata().getAnnotations().put(Annotations.RETRY, "1");
    SeiNode edited = aNode(B).build();
    edited.getMetadata().setGeneration(8L);
    return Stream.of(
        row("init rests", aNode(B).build(), initializing(init), NO_POD, REST),
        row("init, retry", asked, initializing(init), NO_POD, init("a retry was requested")),
        row("init, edit", edited, initializing(init), NO_POD, init("the spec changed")),
        row(
            "init, image",
            aNode(A).build(),
            initializing(init),
            NO_POD,
            init("image sei:b -> sei:a")),
        row("update backs off", aNode(B).build(), with(update), backOff(10)),
        row("update, retry", asked, with(update), update("a retry was requested")),
        row(
            "update, later",
            aNode(B).build(),
            with(update.withFinishedAt(NOW.minusSeconds(10))),
            TO_B_AGAIN),
        row(
            "update, ended in times to come",
            aNode(B).build(),
            with(update.withFinishedAt(NOW.plusSeconds(1_000_000_000))),
            TO_B_AGAIN),
        row("update, third time", aNode(B).build(), with(update.withAttempt(2)), backOff(40)),
        row("update, back to what runs", aNode(A).build(), with(update), TO_A));
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
            OfflineNode.FEATURES);

    PlanDecision decided =
        planner.decide(aNode(node).status(status).pod(pod).sidecar(sidecar).view());

    assertThat(decided).isEqualTo(decision);
  }

  /** Its pod has image A, and its sidecar was not asked. */
  private static Arguments row(
      String name, SeiNode node, SeiNodeStatus status, PlanDecision decision) {
    return row(name, node, status, POD_A, decision);
  }

  private static Arguments row(
      String name, SeiNode node, SeiNodeStatus status, Optional<Pod> pod, PlanDecision decision) {
    return row(name, node, status, pod, null, decision);
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

  private static SeiNodeStatus with(TaskPlan plan) {
    return aNode(A).running().status().withPlan(plan);
  }

  private static SeiNodeStatus initializing(TaskPlan plan) {
    NodePhase phase = plan.isFailed() ? NodePhase.FAILED : NodePhase.INITIALIZING;
    return aNode(A)
        .running()
        .status()
        .with(it -> it.phase(phase).currentImage(null).podSpecHash(null).plan(plan));
  }

  private static TaskPlan failed(PlanKind kind) {
    return aPlan(kind, B, "x").phase(PlanPhase.FAILED).build().withFinishedAt(NOW);
  }

  private static TaskPlan target(TaskPlan plan, UnaryOperator<PlanTarget> change) {
    return plan.withTarget(change.apply(plan.target()));
  }

  private static SeiNode synced(String image, long generation) {
    SeiNode node = aNode(image).build();
    node.getMetadata().setGeneration(generation);
    var stateSync = new Snapshot(null, new Snapshot.StateSync(), null, null, null);
    node.setSpec(node.getSpec().withFullNode(new FullNode(stateSync, null)));
    return node;
  }

  private static SeiNode restart(String image) {
    SeiNode node = aNode(image).build();
    node.getMetadata().getAnnotations().put(Annotations.RESTART_REQUESTED_AT, "now");
    return node;
  }

  private static SeiNode overridden(String image) {
    return aNode(image).spec(spec -> spec.withOverrides(Map.of("mempool.size", "10"))).build();
  }

  private static SeiNodeStatus configured() {
    String hash = ConfigHash.of(aNode(A).build().getSpec());
    return aNode(A)
        .running()
        .status()
        .withConfig(new AppliedConfig(hash, NOW, List.of(), null, null, null));
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
