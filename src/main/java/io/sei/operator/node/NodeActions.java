package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.bootstrap.BootstrapJobs;
import io.sei.operator.node.bootstrap.BootstrapTasks;
import io.sei.operator.node.config.ConfigRecord;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.node.resources.NodeObjects;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.reconcile.Next;
import io.sei.operator.takeover.Baseline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What a reconcile does about a node: makes sure whose StatefulSet it is, completes the record,
 * runs the plan, keeps owned objects in sync. What must be recorded before it is done ends it, with
 * a recheck at once.
 */
public record NodeActions(
    NodePlanner planner,
    PlanEngine<NodeReconcile> engine,
    NodeObjects objects,
    BootstrapJobs bootstrapJobs,
    PlanHandover handover,
    NodePlans plans,
    List<NodeFeature> features) {

  /** Acts, up to what has to be written before anything else is done. */
  Next advance(NodeReconcile reconcile) {
    Stream<Function<NodeReconcile, Next>> core =
        Stream.of(objects::identify, this::recordBaseline, NodeActions::adoptConfig, this::pause);
    Next settled =
        Next.of(
            reconcile,
            Stream.of(
                    features.stream().<Function<NodeReconcile, Next>>map(it -> it::protect),
                    core,
                    features.stream().<Function<NodeReconcile, Next>>map(it -> it::settle))
                .flatMap(it -> it)
                .toList());
    return settled.goesOn() ? follow(reconcile) : settled;
  }

  private Next follow(NodeReconcile reconcile) {
    return switch (planner.decide(reconcile.snapshot())) {
      case PlanDecision.Start start -> begin(reconcile, start);
      case PlanDecision.BackOff backOff -> syncBeside(reconcile, Next.rest(backOff.after()));
      case PlanDecision.Continue _ -> syncBeside(reconcile, step(reconcile));
      case PlanDecision.Rest _ -> syncBeside(reconcile, Next.goOn());
    };
  }

  private static Next adoptConfig(NodeReconcile reconcile) {
    ConfigRecord.adopt(reconcile);
    return Next.goOn();
  }

  /** While a node is stopped everything is kept in sync, and no plan is run. */
  private Next pause(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    if (!snapshot.isPaused()) {
      return Next.goOn();
    }
    reconcile.refusals().run(() -> bootstrapJobs.stop(reconcile));
    sync(reconcile);
    return snapshot
        .stop()
        .map(stop -> Next.rest(Duration.between(snapshot.now(), stop.until())))
        .orElseGet(Next::rest);
  }

  /** What comes next is noted first: a refusal here must not lose it. */
  private Next syncBeside(NodeReconcile reconcile, Next next) {
    reconcile.take(next);
    if (isTemplateSettled(reconcile.status().plan())) {
      sync(reconcile);
    }
    features.forEach(it -> it.keep(reconcile));
    return next;
  }

  private void sync(NodeReconcile reconcile) {
    if (NodeObjects.areExpected(reconcile)) {
      objects.sync(reconcile);
      features.forEach(it -> it.sync(reconcile));
    }
  }

  /**
   * A pod without a stamp this build understands was made by another operator. What it stands for
   * is recorded before anything is compared with it, so that taking over restarts nothing; and
   * which fields of the spec are lost, which nothing else shows once they are hidden.
   */
  private Next recordBaseline(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    Optional<Pod> unknown = snapshot.livePod().filter(pod -> snapshot.stampOf(pod).isEmpty());
    if (unknown.isEmpty()) {
      return Next.goOn();
    }
    String hash = Baseline.of(snapshot.node(), unknown.get(), snapshot.statefulSet());
    List<String> unserved =
        reconcile
            .refusals()
            .get(() -> objects.unservedFields(reconcile))
            .filter(fields -> !fields.isEmpty())
            .orElse(null);
    var baseline = new PodBaseline(unknown.get().getMetadata().getUid(), hash, unserved);
    boolean running = snapshot.isRunning();
    reconcile.update(
        status ->
            status.with(
                it -> it.podBaseline(baseline).podSpecHash(running ? hash : status.podSpecHash())));
    return Next.writeFirst("baseline");
  }

  private Next begin(NodeReconcile reconcile, PlanDecision.Start start) {
    NodeSnapshot snapshot = reconcile.snapshot();
    TaskPlan old = handover.observed(reconcile, reconcile.status().plan());
    SeiNodeStatus left = ConfigRecord.written(snapshot.after(old).status(), old);
    TaskPlan plan =
        BootstrapTasks.carriedOver(
            old,
            plans
                .of(start.kind(), snapshot.withStatus(left))
                .supersede(
                    handover.reusable(old, start.kind()),
                    engine::traits,
                    UUID.randomUUID().toString(),
                    start.attempt(),
                    snapshot.now()));
    if (!handover.isClear(reconcile, old, plan)) {
      // A sidecar that went with its StatefulSet, or was paused, can be asked once it is back.
      if (reconcile.snapshot().livePod().isEmpty() && !BootstrapTasks.isUnderWay(old)) {
        objects.syncStatefulSet(reconcile);
      }
      return Next.rest();
    }
    reconcile.update(status -> ConfigRecord.written(status, old));
    reconcile.update(status -> NodeStatus.planned(status, plan));
    features.forEach(it -> it.planned(reconcile));
    return Next.writeFirst("plan");
  }

  private Next step(NodeReconcile reconcile) {
    PlanEngine.Step step = engine.step(reconcile.status().plan(), reconcile);
    reconcile.update(status -> status.withPlan(withStatefulSet(step.plan(), status)));
    if (step.plan().isFailed()) {
      reconcile.update(status -> ConfigRecord.written(status, step.plan()));
    }
    // What is due after the end may have become so before it, and nothing announces it.
    return step.recheck().map(Next::rest).orElseGet(() -> Next.writeFirst("plan"));
  }

  /**
   * The StatefulSet that a plan's own task applied is the one the plan is about. One that was there
   * before a bootstrap is not: it goes.
   */
  private static TaskPlan withStatefulSet(TaskPlan plan, SeiNodeStatus status) {
    return plan.target().statefulSetUid() == null
            && status.statefulSet() != null
            && !BootstrapTasks.isUnderWay(plan)
        ? plan.withTarget(plan.target().withStatefulSetUid(status.statefulSet().uid()))
        : plan;
  }

  /** Until a plan has applied its template, nothing else may change the StatefulSet's. */
  private static boolean isTemplateSettled(TaskPlan plan) {
    return plan == null
        || !plan.isActive()
        || plan.tasks().stream()
            .filter(task -> task.type().equals(TaskTypes.APPLY_STATEFUL_SET))
            .allMatch(task -> task.status() == TaskStatus.COMPLETE);
  }
}
