package io.sei.operator.node.objects;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.NodePlanner;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Plans of a node with a bootstrap Job. */
class BootstrapTasksTest {

  private static final List<String> RUN =
      List.of(
          "deploy-bootstrap-job",
          "configure-genesis",
          "snapshot-restore",
          "config-apply",
          "configure-state-sync",
          "config-validate",
          "mark-ready",
          "await-bootstrap-complete",
          "teardown-bootstrap");

  private final NodePlanner planner = new NodePlanner(plan -> true, OfflineNode.OPERATIONS);

  static Stream<Arguments> edits() {
    return Stream.of(
        edit("image", true, spec -> spec.withImage("sei:b")),
        edit("pod labels", true, spec -> spec.withPodLabels(Map.of("team", "rpc"))),
        edit("grace", true, spec -> spec.withTerminationGracePeriodSeconds(600L)),
        edit("bootstrap image", false, spec -> bootstrapping(spec, "sei:boot2", 1000)),
        edit("height", false, spec -> bootstrapping(spec, "sei:boot", 2000)),
        edit("chain", false, spec -> spec.withChainId("arctic-1")),
        edit("overrides", false, spec -> spec.withOverrides(Map.of("a", "b"))));
  }

  @Test
  void volumeIsTheJobsBeforeThereIsAStatefulSet() {
    List<String> types = types(plan(bootstrapping()));

    assertThat(types)
        .containsSubsequence("ensure-data-pvc", "apply-service")
        .containsSequence(RUN)
        .containsSubsequence("teardown-bootstrap", "apply-statefulset", "observe-image");
    assertThat(types.subList(types.indexOf("observe-image"), types.size()))
        .containsExactly(
            "observe-image", "configure-genesis", "config-apply", "config-validate", "mark-ready");
  }

  @Test
  void uploadBeginsWithTheNodeAndNotWithTheJob() {
    var publishing =
        new SnapshotGeneration(
            new SnapshotGeneration.Tendermint(5, new SnapshotGeneration.Publish()));
    SeiNodeSpec spec = bootstrapping();

    List<String> types =
        types(plan(spec.withFullNode(new FullNode(spec.fullNode().snapshot(), publishing))));

    assertThat(types).containsOnlyOnce("snapshot-upload").containsSequence(RUN);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("edits")
  void runGoesOnUnlessItWouldBeAnother(
      String what, boolean goesOn, UnaryOperator<SeiNodeSpec> edit) {
    TaskPlan old = at(plan(bootstrapping()), "snapshot-restore", TaskStatus.PENDING);
    TaskPlan fresh = plan(edit.apply(bootstrapping()));

    TaskPlan next = BootstrapTasks.carriedOver(old, fresh);

    assertThat(BootstrapTasks.isForAnother(old, edit.apply(bootstrapping()))).isEqualTo(!goesOn);
    assertThat(next.id()).isEqualTo(fresh.id());
    assertThat(types(next)).isEqualTo(types(fresh));
    if (goesOn) {
      assertThat(run(next)).isEqualTo(run(old));
      assertThat(rest(next)).isEqualTo(rest(fresh));
    } else {
      assertThat(next).isEqualTo(fresh);
    }
  }

  @Test
  void failedRunIsNotCarriedOver() {
    TaskPlan old = at(plan(bootstrapping()), "await-bootstrap-complete", TaskStatus.FAILED);
    TaskPlan fresh = plan(bootstrapping());

    assertThat(BootstrapTasks.carriedOver(old, fresh)).isEqualTo(fresh);
  }

  @Test
  void runThatEndedBeforeThePlanFailedIsNotRepeated() {
    TaskPlan old = at(plan(bootstrapping()), "observe-image", TaskStatus.FAILED);

    TaskPlan next = BootstrapTasks.carriedOver(old, plan(bootstrapping()));

    assertThat(run(next)).isEqualTo(run(old)).allMatch(BootstrapTasksTest::isComplete);
    assertThat(rest(next)).noneMatch(BootstrapTasksTest::isComplete);
  }

  @Test
  void jobThatIsNoLongerAskedForGoesFirst() {
    TaskPlan old = at(plan(bootstrapping()), "snapshot-restore", TaskStatus.PENDING);
    SeiNode plain = aNode("sei:a").build();

    assertThat(types(plan(plain, initializing(old))))
        .containsSubsequence("teardown-bootstrap", "apply-statefulset")
        .doesNotContain("deploy-bootstrap-job");
    assertThat(types(plan(plain, initializing(null)))).doesNotContain("teardown-bootstrap");
    TaskPlan past = at(plan(bootstrapping()), "apply-statefulset", TaskStatus.PENDING);
    assertThat(types(plan(plain, initializing(past)))).doesNotContain("teardown-bootstrap");
  }

  @Test
  void onlyTheUsersEditReplacesAPlanOverItsBootstrap() {
    SeiNode node = nodeOf(bootstrapping());
    TaskPlan withoutRun = plan(aNode("sei:a").build(), initializing(null));
    TaskPlan sameSpec = withoutRun.withTarget(plan(node, initializing(null)).target());

    assertThat(decide(node, sameSpec)).isInstanceOf(PlanDecision.Continue.class);

    node.getMetadata().setGeneration(8L);
    assertThat(decide(node, sameSpec))
        .isEqualTo(new PlanDecision.Start(PlanKind.INIT, "the bootstrap changed", 0));
  }

  @Test
  void statefulSetThatIsOnItsWayOutIsNotThePlans() {
    SeiNodeStatus status =
        initializing(null).withStatefulSet(new StatefulSetRef("node", NodeSample.STATEFUL_SET_UID));

    assertThat(plan(nodeOf(bootstrapping()), status).target().statefulSetUid()).isNull();
    assertThat(plan(aNode("sei:a").build(), status).target().statefulSetUid())
        .isEqualTo(NodeSample.STATEFUL_SET_UID);
  }

  private PlanDecision decide(SeiNode node, TaskPlan plan) {
    return planner.decide(aNode(node).status(initializing(plan)).view());
  }

  private static Arguments edit(String what, boolean goesOn, UnaryOperator<SeiNodeSpec> edit) {
    return Arguments.of(what, goesOn, edit);
  }

  private static SeiNodeSpec bootstrapping() {
    return bootstrapping(aNode("sei:a").build().getSpec(), "sei:boot", 1000);
  }

  private static SeiNodeSpec bootstrapping(SeiNodeSpec spec, String image, long height) {
    return spec.withFullNode(
        new FullNode(new Snapshot(new Snapshot.S3(height), null, null, null, image), null));
  }

  private static SeiNode nodeOf(SeiNodeSpec spec) {
    return aNode("sei:a").spec(spec).build();
  }

  private static SeiNodeStatus initializing(TaskPlan plan) {
    return SeiNodeStatus.empty().with(builder -> builder.phase(NodePhase.INITIALIZING).plan(plan));
  }

  private static TaskPlan plan(SeiNodeSpec spec) {
    return plan(nodeOf(spec), initializing(null));
  }

  private static TaskPlan plan(SeiNode node, SeiNodeStatus status) {
    NodeView view = aNode(node).status(status).view();
    return OfflineNode.PLANS.of(PlanKind.INIT, view).create(UUID.randomUUID().toString(), NOW);
  }

  /** The plan at its first task of this type, which stands so. */
  private static TaskPlan at(TaskPlan plan, String type, TaskStatus status) {
    int index = types(plan).indexOf(type);
    return plan.withTasks(
        plan.tasks().stream()
            .map(
                task -> {
                  int place = plan.tasks().indexOf(task);
                  return place > index
                      ? task
                      : task.withStatus(place == index ? status : TaskStatus.COMPLETE);
                })
            .toList());
  }

  private static boolean isComplete(PlannedTask task) {
    return task.status() == TaskStatus.COMPLETE;
  }

  private static List<PlannedTask> run(TaskPlan plan) {
    return plan.tasks().subList(start(plan), start(plan) + RUN.size());
  }

  private static List<PlannedTask> rest(TaskPlan plan) {
    return plan.tasks().subList(start(plan) + RUN.size(), plan.tasks().size());
  }

  private static int start(TaskPlan plan) {
    return types(plan).indexOf("deploy-bootstrap-job");
  }

  private static List<String> types(TaskPlan plan) {
    return plan.tasks().stream().map(PlannedTask::type).toList();
  }
}
