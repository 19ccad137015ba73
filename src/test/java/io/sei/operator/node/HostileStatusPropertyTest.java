package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.node.feature.EffectiveNode;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.IdentityAction;
import io.sei.operator.node.objects.StatefulSetIdentity;
import io.sei.operator.node.status.NodeEvents;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.plan.TaskType;
import io.sei.operator.render.ConfigHash;
import io.sei.operator.render.Labels;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.HostileInput;
import io.sei.operator.testkit.Invariants;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A status can be edited by hand, restored from a backup, or of another operator. */
class HostileStatusPropertyTest {

  private static final int STATUSES = Cases.count(500, 3_000);
  private static final String A = "sei:a";
  private static final String B = "sei:b";
  private static final SeiNode NODE = aNode(A).build();
  private static final String STRANGER = "statefulset-of-a-stranger";

  private static TaskOutcome anyOutcome(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> TaskOutcome.waitFor(TaskReason.SIDECAR_BUSY, "because", Duration.ofSeconds(1));
      case 1 -> new TaskOutcome.Retry("once more");
      case 2 -> new TaskOutcome.Fail("never");
      default -> TaskOutcome.done();
    };
  }

  static IntStream seeds() {
    return Cases.seeds(1, 8);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void noStatusEndsInAnExceptionOrInPlansWithoutEnd(int seed) {
    var random = new Random(seed);
    var records = new HostileInput(random, texts(), true);
    for (int i = 0; i < STATUSES; i++) {
      SeiNodeStatus status = likely(records.make(SeiNodeStatus.class), records, random);
      try {
        reconcile(status, random);
      } catch (Throwable e) {
        throw new AssertionError("seed %d, status %d: %s".formatted(seed, i, status), e);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whatAnotherOwnsIsNeverDeleted(int seed) {
    var records = new HostileInput(new Random(seed), texts(), true);
    for (int i = 0; i < STATUSES; i++) {
      SeiNodeStatus status = records.make(SeiNodeStatus.class);
      assertThat(StatefulSetIdentity.decide(NODE, status, Optional.of(ofAStranger())))
          .as("%s", status)
          .matches(
              action ->
                  action instanceof IdentityAction.Conflict
                      // Its uid is what is recorded as the node's own; applying is not deleting.
                      || (action instanceof IdentityAction.Apply
                          && status.statefulSet() != null
                          && status.statefulSet().uid().equals(STRANGER)));
    }
  }

  /** Runs the parts of a reconcile that read a status, without I/O. */
  private static void reconcile(SeiNodeStatus status, Random random) {
    NodeView view = snapshot(status, random);
    var reconcile = new NodePass(view);
    var engine =
        new PlanEngine<NodePass>(
            OfflineNode.ENGINE.names().stream()
                .<TaskType<NodePass, ?>>map(
                    type ->
                        TaskType.of(
                            type, OfflineNode.ENGINE.traits(type), pass -> anyOutcome(random)))
                .toList(),
            Refused::or,
            Clock.fixed(NOW, ZoneOffset.UTC));
    var planner = new NodePlanner(engine::knows, OfflineNode.OPERATIONS);
    PlanDecision decision = planner.decide(view);
    if (decision instanceof PlanDecision.Start start) {
      TaskPlan old =
          status.plan() != null && status.plan().kind() == start.kind() ? status.plan() : null;
      TaskPlan plan =
          OfflineNode.PLANS
              .of(start.kind(), view)
              .supersede(old, OfflineNode.ENGINE::traits, "plan", start.attempt(), NOW);
      reconcile.update(seiNodeStatus -> seiNodeStatus.withPlan(plan));
      assertThat(planner.decide(snapshot(reconcile.draft(), view)))
          .as("a plan just made is gone on with")
          .isEqualTo(new PlanDecision.Continue());
    } else if (decision instanceof PlanDecision.Continue) {
      reconcile.update(
          seiNodeStatus ->
              seiNodeStatus.withPlan(engine.step(seiNodeStatus.plan(), reconcile).plan()));
    } else if (decision instanceof PlanDecision.BackOff backOff) {
      assertThat(backOff.after()).isBetween(Duration.ZERO, Duration.ofMinutes(10));
    }
    NodeStatus.derive(
        reconcile,
        Optional.empty(),
        new ProgressDeadline(Duration.ofMinutes(10)),
        OfflineNode.CONDITIONS);
    SeiNodeStatus after = NodeStatus.concluded(status, reconcile.draft(), 7L, NOW);
    NodeEvents.between(status, after, OfflineNode.CONDITIONS);
    Invariants.messagesFit(after.conditions());
  }

  private static NodeView snapshot(SeiNodeStatus status, Random random) {
    Optional<Pod> pod =
        switch (random.nextInt(3)) {
          case 0 -> Optional.empty();
          case 1 -> Optional.of(aPod(aNode(A)).build());
          default -> Optional.of(aPod(aNode(B)).ready().build());
        };
    var health = SidecarHealth.values()[random.nextInt(SidecarHealth.values().length)];
    return snapshot(status, pod, health);
  }

  private static NodeView snapshot(SeiNodeStatus status, NodeView same) {
    return snapshot(status, same.pod(), same.sidecar().orElse(null));
  }

  private static NodeView snapshot(SeiNodeStatus status, Optional<Pod> pod, SidecarHealth health) {
    SeiNode declared = aNode(A).status(status).build();
    var effective =
        EffectiveNode.of(declared, Optional.empty(), Optional.empty(), NOW, OfflineNode.FEATURES);
    return aNode(effective.node())
        .status(status)
        .pod(pod)
        .sidecar(health)
        .view()
        .with(builder -> builder.effective(effective));
  }

  /** Half of them are nearly right, for nothing gets far with one that is all wrong. */
  private static SeiNodeStatus likely(SeiNodeStatus status, HostileInput records, Random random) {
    if (random.nextBoolean()) {
      return status;
    }
    TaskPlan right =
        aPlan(PlanKind.UPDATE, A, TaskTypes.APPLY_STATEFUL_SET, TaskTypes.MARK_READY).build();
    TaskPlan wrong = records.make(TaskPlan.class);
    TaskPlan mixed =
        right.with(
            builder ->
                builder
                    .tasks(random.nextBoolean() ? right.tasks() : wrong.tasks())
                    .phase(random.nextBoolean() ? right.phase() : wrong.phase())
                    .kind(random.nextBoolean() ? right.kind() : wrong.kind())
                    .target(random.nextInt(4) == 0 ? wrong.target() : right.target())
                    .attempt(wrong.attempt())
                    .finishedAt(wrong.finishedAt()));
    return aNode(A)
        .running()
        .status()
        .with(
            builder ->
                builder
                    .plan(mixed)
                    .conditions(status.conditions())
                    .config(status.config())
                    .phase(status.phase()));
  }

  private static List<String> texts() {
    // A set has another order in every run, and a seed would say nothing.
    Stream<String> tasks = OfflineNode.ENGINE.names().stream().sorted();
    return Stream.concat(
            Stream.of(
                aNode(A).specHash(),
                aNode(B).specHash(),
                ConfigHash.of(NODE.getSpec()),
                A,
                NodeSample.STATEFUL_SET_UID,
                STRANGER,
                "pod-1",
                "Stalled",
                "Ready",
                HostileInput.HALF_A_CHARACTER),
            Stream.concat(HostileInput.ODD_TEXTS.stream(), tasks))
        .toList();
  }

  private static StatefulSet ofAStranger() {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName("node")
        .withUid(STRANGER)
        .withLabels(Labels.selector("node"))
        .addNewOwnerReference()
        .withKind("Deployment")
        .withName("stranger")
        .withUid("another")
        .withController(true)
        .endOwnerReference()
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(Labels.selector("node"))
        .endSelector()
        .endSpec()
        .build();
  }
}
