package io.sei.operator.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SigningElsewhere;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.UnreadConfig;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** When a task may end a run of seid, and when it has. */
class SeidRestartRequestTest {

  private static final Instant NOW = Instant.parse("2026-11-26T09:00:00Z");
  private static final UnreadConfig RUN = new UnreadConfig("p", "c", NOW, null, null, "id");
  private static final SeidRestartRequest END = new SeidRestartRequest();

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of(
            spec().withMaintenance(new Maintenance(Maintenance.Hold.AFTER_EXIT)), status(), "held"),
        Arguments.of(
            spec(),
            status().withSigningElsewhere(new SigningElsewhere(null, NOW, null)),
            "something else signs"),
        Arguments.of(spec().withDataResetGeneration(1L), status(), "to be wiped"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatAPersonKeepsFromStartingIsNotStarted(
      SeiNodeSpec spec, SeiNodeStatus status, String why) {
    for (NodeWork work : List.of(END, new ReadyRequest())) {
      assertThat(work.refusal(target(spec, status)))
          .hasValueSatisfying(
              it -> {
                assertThat(it.reason()).isEqualTo(NodeTaskReason.TASK_TERMINAL_ERROR);
                assertThat(it.message()).contains(why, "node");
              });
    }
    assertThat(END.refusal(target(spec(), status()))).isEmpty();
  }

  static Stream<Arguments> waiting() {
    return Stream.of(
        Arguments.of(
            "at risk",
            status()
                .withConditions(
                    List.of(condition(NodeConditionType.DATA_VOLUME_AT_RISK, "claim goes")))),
        Arguments.of("restart seid already", status().withUnreadConfig(RUN)),
        Arguments.of(
            "is under way",
            status()
                .withPlan(
                    TaskPlanBuilder.builder()
                        .phase(PlanPhase.ACTIVE)
                        .kind(PlanKind.UPDATE)
                        .build())));
  }

  @ParameterizedTest
  @MethodSource("waiting")
  void aNodeThatIsBusyOrAtRiskIsWaitedFor(String why, SeiNodeStatus status) {
    Target target = target(spec(), status);

    assertThat(END.obstacle(target, "id")).hasValueSatisfying(it -> assertThat(it).contains(why));
    target.node().getMetadata().setAnnotations(Map.of(Annotations.SEID_RESTART, "id"));
    assertThat(END.obstacle(target, "id")).as("it was given it").isEmpty();
  }

  @ParameterizedTest(name = "annotation {0}, acted on {1}, under way {2}: {3}")
  @CsvSource({
    "id,    ,      false, Running",
    "id,    id,    true,  Running",
    "id,    id,    false, TaskComplete",
    "other, other, true,  TaskComplete",
    "other, id,    false, TaskComplete",
    ",      ,      false, TaskFailed"
  })
  void itIsDoneOnceThatRunIsOver(String asked, String taken, boolean underWay, String progress) {
    UnreadConfig run = "other".equals(asked) ? RUN.withRequest("other") : RUN;
    Target target =
        target(
            spec(), status().with(it -> it.seidRestart(taken).unreadConfig(underWay ? run : null)));
    target
        .node()
        .getMetadata()
        .setAnnotations(asked == null ? Map.of() : Map.of(Annotations.SEID_RESTART, asked));

    assertThat(describe(END.progress(target, "id"))).isEqualTo(progress);
  }

  @ParameterizedTest(
      name = "{0} of {1}, ready {2}, restarting {3}, exits {4}, rolling out {5}: {6}")
  @CsvSource({
    "1,   2, 0 1,   ,  ,  false, ",
    "1,   2, 1,     ,  ,  false, ",
    "1,   3, 1,     ,  ,  true,  ",
    "1,   2, 0,     ,  ,  false, has 1 of at most 1",
    "2,   3, 0 1,   ,  ,  false, ",
    "50%, 3, 0 1,   ,  ,  false, ",
    "1,   2, 0 1,   1, ,  false, has 1 of at most 1",
    "1,   2, 0 1,   ,  1, false, has 1 of at most 1",
    "1,   2, 0 1,   ,  0, false, ",
    "1,   2, 0 1,   ,  ,  true,  rolls out",
    "1,   4, 0 1 2, ,  ,  false, not all are made"
  })
  void aFleetDoesWithoutAsManyNodesAsItMay(
      String limit,
      int replicas,
      String ready,
      String restarting,
      String exiting,
      boolean rolls,
      String why) {
    Predicate<SeiNode> exits = node -> node.getMetadata().getName().equals("fleet-" + exiting);
    SeiNodeDeployment fleet =
        Samples.yaml(
            SeiNodeDeployment.class,
            "{metadata: {name: fleet}, spec: {replicas: %s, updateStrategy: {inPlace:"
                + " {maxUnavailable: %s}}}}",
            replicas,
            limit);
    if (rolls) {
      fleet.setStatus(
          SeiNodeDeploymentStatus.empty().withRollout(new Rollout("t", NOW, List.of())));
    }
    List<SeiNode> nodes =
        Stream.iterate(0, it -> it + 1)
            .limit(Math.min(replicas, 3))
            .map(ordinal -> member(ordinal, Integer.toString(ordinal).equals(restarting)))
            .toList();
    List<Pod> pods = Stream.of(ready.split(" ")).map(it -> ready("fleet-" + it + "-0")).toList();

    FleetBudget budget = FleetBudget.of(fleet, nodes, pods, nodes.getFirst(), exits);

    Optional<String> obstacle = budget.obstacle(ready.startsWith("0"));
    if (why == null) {
      assertThat(obstacle).isEmpty();
    } else {
      assertThat(obstacle).hasValueSatisfying(it -> assertThat(it).contains(why));
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "'spec: {chainId: c, image: i, fullNode: {}, paused: true}',",
    "'spec: {chainId: c, image: i, fullNode: {}, maintenance: {hold: Immediate}}',",
    "'spec: {chainId: c, image: i, fullNode: {}}', has 1 of at most 1",
    "'spec: {chainId: c, image: i, fullNode: {}, upgrades: [{name: v2, height: 9, image: j, early:"
        + " true}]}', has 1 of at most 1",
  })
  void aNodeThatTheUserKeepsOutOfServiceUsesNoBudget(String other, String why) {
    SeiNodeDeployment fleet =
        Samples.yaml(SeiNodeDeployment.class, "{metadata: {name: fleet}, spec: {replicas: 3}}");
    SeiNode kept = Samples.yaml(SeiNode.class, "{metadata: {name: fleet-2}, %s}", other);
    List<SeiNode> nodes = List.of(member(0, false), member(1, false), kept);
    boolean isReady = other.contains("upgrades");
    List<Pod> pods =
        Stream.of("fleet-0-0", "fleet-1-0", isReady ? "fleet-2-0" : "other-0")
            .map(SeidRestartRequestTest::ready)
            .toList();

    Optional<String> obstacle =
        FleetBudget.of(fleet, nodes, pods, nodes.getFirst(), node -> false).obstacle(true);

    assertThat(obstacle.isPresent()).isEqualTo(why != null);
    obstacle.ifPresent(message -> assertThat(message).contains(why));
  }

  @Test
  void aNodeThatIsStoppedForASnapshotUsesTheBudget() {
    SeiNodeDeployment fleet =
        Samples.yaml(
            SeiNodeDeployment.class,
            "{metadata: {name: fleet}, spec: {replicas: 3}, status: {snapshots: {active: {node:"
                + " fleet-2, phase: Stopping}}}}");
    List<SeiNode> nodes = List.of(member(0, false), member(1, false), member(2, false));
    List<Pod> pods = List.of(ready("fleet-0-0"), ready("fleet-1-0"), ready("fleet-2-0"));

    assertThat(FleetBudget.of(fleet, nodes, pods, nodes.getFirst(), n -> false).obstacle(true))
        .contains("fleet fleet has 1 of at most 1 nodes down (maxUnavailable): fleet-2");
  }

  @Test
  void theLastReadyNodeIsNotTakenDown() {
    SeiNodeDeployment fleet =
        Samples.yaml(SeiNodeDeployment.class, "{metadata: {name: fleet}, spec: {replicas: 2}}");
    SeiNode paused =
        Samples.yaml(
            SeiNode.class,
            "{metadata: {name: fleet-1}, spec: {chainId: c, image: i, fullNode: {}, paused:"
                + " true}}");
    List<SeiNode> nodes = List.of(member(0, false), paused);

    assertThat(
            FleetBudget.of(fleet, nodes, List.of(ready("fleet-0-0")), nodes.getFirst(), n -> false)
                .obstacle(true))
        .contains("fleet fleet has no other node that is Ready");
  }

  @Test
  void aNodeThatCannotBeReadIsDownAndAFleetThatCannotBeReadGivesNone() {
    SeiNodeDeployment fleet =
        Samples.yaml(SeiNodeDeployment.class, "{metadata: {name: fleet}, spec: {replicas: 2}}");
    List<SeiNode> nodes =
        List.of(member(0, false), Samples.unreadable(member(1, false), "spec.configValues"));
    List<Pod> pods = List.of(ready("fleet-0-0"), ready("fleet-1-0"));

    assertThat(FleetBudget.of(fleet, nodes, pods, nodes.getFirst(), node -> false).obstacle(true))
        .contains("fleet fleet has 1 of at most 1 nodes down (maxUnavailable): fleet-1");
    Samples.unreadable(fleet, "spec").setSpec(null);
    assertThat(
            FleetBudget.of(fleet, List.of(nodes.getFirst()), pods, nodes.getFirst(), node -> false)
                .obstacle(true))
        .contains("fleet fleet cannot be read: spec is too large");
  }

  @Test
  void aMarkIsDoneOnceTheSidecarLetsSeidRun() {
    UnaryOperator<SeiNodeStatus> ready =
        it -> it.withConditions(List.of(condition(NodeConditionType.SIDECAR_READY, "")));
    var mark = new ReadyRequest();

    assertThat(describe(mark.progress(target(spec(), status()), "id"))).isEqualTo("Running");
    assertThat(describe(mark.progress(target(spec(), ready.apply(status())), "id")))
        .isEqualTo("TaskComplete");
    SeiNodeSpec held = spec().withMaintenance(new Maintenance(Maintenance.Hold.IMMEDIATE));
    assertThat(describe(mark.progress(target(held, ready.apply(status())), "id")))
        .isEqualTo("TaskFailed");
  }

  private static String describe(TaskOutcome.Once outcome) {
    return outcome instanceof TaskOutcome.Ended ended ? ended.reason().toString() : "Running";
  }

  private static SeiNode member(int ordinal, boolean restarts) {
    SeiNode node = Samples.node("ns", "fleet-" + ordinal, spec());
    if (restarts) {
      node.getMetadata().setAnnotations(Map.of(Annotations.SEID_RESTART, "new"));
    }
    return node;
  }

  private static Pod ready(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .endStatus()
        .build();
  }

  private static Condition condition(NodeConditionType type, String message) {
    return new Condition(type.toString(), ConditionStatus.TRUE, 1L, NOW, "Reason", message);
  }

  private static SeiNodeSpec spec() {
    return Samples.fullNode("sei:a");
  }

  private static SeiNodeStatus status() {
    return SeiNodeStatus.empty().withPhase(NodePhase.RUNNING);
  }

  private static Target target(SeiNodeSpec spec, SeiNodeStatus status) {
    SeiNode node = Samples.node("ns", "node", spec);
    node.setStatus(status);
    return new Target(node, Optional.of(ready("node-0")), Optional.of("c"), Optional.empty());
  }
}
