package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.BootstrapJobs;
import io.sei.operator.node.objects.BootstrapTasks;
import io.sei.operator.node.objects.NodeObjects;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.reconcile.Next;
import io.sei.operator.takeover.Baseline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Steps of a node's pass that act: they secure what must not wait, identify the StatefulSet,
 * complete the record, run the plan and keep owned objects in sync. A step that has to be recorded
 * before the next one ends the pass, with another one at once.
 *
 * @param unfinished adds to a status what a plan has written that failed or is superseded
 */
public record NodeActions(
    NodePlanner planner,
    PlanEngine<NodePass> engine,
    NodeObjects objects,
    BootstrapJobs bootstrapJobs,
    PlanHandover handover,
    NodePlans plans,
    BiFunction<SeiNodeStatus, TaskPlan, SeiNodeStatus> unfinished,
    List<NodeFeature> features) {

  Next protect(NodePass pass) {
    return ofFeatures(pass, feature -> feature::protect);
  }

  Next identify(NodePass pass) {
    return objects.identify(pass);
  }

  /**
   * A pod without a stamp that this build understands was made by another operator. What it stands
   * for is recorded before anything is compared with it, so that taking over restarts nothing; and
   * which fields of the spec are lost, which nothing else shows once they are hidden.
   */
  Next recordBaseline(NodePass pass) {
    NodeView view = pass.view();
    Optional<Pod> unknown = view.livePod().filter(pod -> view.stampOf(pod).isEmpty());
    if (unknown.isEmpty()) {
      return Next.goOn();
    }
    String hash = Baseline.of(view.node(), unknown.get(), view.statefulSet());
    List<String> unserved =
        pass.refusals()
            .get(() -> objects.unservedFields(pass))
            .filter(fields -> !fields.isEmpty())
            .orElse(null);
    var baseline = new PodBaseline(unknown.get().getMetadata().getUid(), hash, unserved);
    boolean running = view.isRunning();
    pass.update(
        status ->
            status.with(
                next ->
                    next.podBaseline(baseline).podSpecHash(running ? hash : status.podSpecHash())));
    return Next.writeFirst("baseline");
  }

  /** While a node is stopped everything is kept in sync, and no plan is run. */
  Next pause(NodePass pass) {
    NodeView view = pass.view();
    if (!view.isPaused()) {
      return Next.goOn();
    }
    pass.refusals().run(() -> bootstrapJobs.stop(pass));
    sync(pass);
    features.forEach(feature -> feature.keep(pass));
    return view.stop()
        .map(stop -> Next.rest(Duration.between(view.now(), stop.until())))
        .orElseGet(Next::rest);
  }

  Next observe(NodePass pass) {
    return ofFeatures(pass, feature -> feature::observe);
  }

  /** Decides on the plan, runs it, and keeps beside it what it does not change. */
  Next followPlan(NodePass pass) {
    return switch (planner.decide(pass.view())) {
      case PlanDecision.Start start -> begin(pass, start);
      case PlanDecision.BackOff backOff -> keepBeside(pass, Next.rest(backOff.after()));
      case PlanDecision.Continue _ -> keepBeside(pass, step(pass));
      case PlanDecision.Rest _ -> keepBeside(pass, Next.goOn());
    };
  }

  private Next ofFeatures(NodePass pass, Function<NodeFeature, Function<NodePass, Next>> hook) {
    return Next.of(pass, features.stream().map(hook).toList());
  }

  /** Notes first what comes next: a refusal here must not lose it. */
  private Next keepBeside(NodePass pass, Next next) {
    pass.take(next);
    if (isTemplateSettled(pass.draft().plan())) {
      sync(pass);
    }
    features.forEach(feature -> feature.keep(pass));
    return next;
  }

  private void sync(NodePass pass) {
    if (NodeObjects.areExpected(pass)) {
      objects.sync(pass);
    }
  }

  private Next begin(NodePass pass, PlanDecision.Start start) {
    NodeView view = pass.view();
    TaskPlan old = handover.observed(pass, pass.draft().plan());
    SeiNodeStatus left = unfinished.apply(view.after(old).stored(), old);
    TaskPlan plan =
        BootstrapTasks.carriedOver(
            old,
            plans
                .of(start.kind(), view.withStored(left))
                .supersede(
                    handover.reusable(old, start.kind()),
                    engine::traits,
                    UUID.randomUUID().toString(),
                    start.attempt(),
                    view.now()));
    if (!handover.isClear(pass, old, plan)) {
      // A sidecar that went with its StatefulSet, or was paused, can be asked once it is back.
      if (pass.view().livePod().isEmpty() && !BootstrapTasks.isUnderWay(old)) {
        objects.syncStatefulSet(pass);
      }
      return Next.rest();
    }
    pass.update(status -> unfinished.apply(status, old));
    pass.update(status -> NodeStatus.planned(status, plan));
    return Next.writeFirst("plan");
  }

  private Next step(NodePass pass) {
    PlanEngine.Step step = engine.step(pass.draft().plan(), pass);
    pass.update(status -> status.withPlan(withStatefulSet(step.plan(), status)));
    if (step.plan().isFailed()) {
      pass.update(status -> unfinished.apply(status, step.plan()));
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
