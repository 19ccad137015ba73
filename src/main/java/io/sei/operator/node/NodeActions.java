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
import io.sei.operator.node.model.NodePass;
import io.sei.operator.node.model.NodeView;
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
    PlanEngine<NodePass> engine,
    NodeObjects objects,
    BootstrapJobs bootstrapJobs,
    PlanHandover handover,
    NodePlans plans,
    List<NodeFeature> features) {

  /** Acts, up to what has to be written before anything else is done. */
  Next advance(NodePass pass) {
    Stream<Function<NodePass, Next>> core =
        Stream.of(objects::identify, this::recordBaseline, NodeActions::adoptConfig, this::pause);
    Next settled =
        Next.of(
            pass,
            Stream.of(
                    features.stream().<Function<NodePass, Next>>map(it -> it::protect),
                    core,
                    features.stream().<Function<NodePass, Next>>map(it -> it::observe))
                .flatMap(it -> it)
                .toList());
    return settled.goesOn() ? follow(pass) : settled;
  }

  private Next follow(NodePass pass) {
    return switch (planner.decide(pass.view())) {
      case PlanDecision.Start start -> begin(pass, start);
      case PlanDecision.BackOff backOff -> syncBeside(pass, Next.rest(backOff.after()));
      case PlanDecision.Continue _ -> syncBeside(pass, step(pass));
      case PlanDecision.Rest _ -> syncBeside(pass, Next.goOn());
    };
  }

  private static Next adoptConfig(NodePass pass) {
    ConfigRecord.adopt(pass);
    return Next.goOn();
  }

  /** While a node is stopped everything is kept in sync, and no plan is run. */
  private Next pause(NodePass pass) {
    NodeView view = pass.view();
    if (!view.isPaused()) {
      return Next.goOn();
    }
    pass.refusals().run(() -> bootstrapJobs.stop(pass));
    sync(pass);
    return view.stop()
        .map(stop -> Next.rest(Duration.between(view.now(), stop.until())))
        .orElseGet(Next::rest);
  }

  /** What comes next is noted first: a refusal here must not lose it. */
  private Next syncBeside(NodePass pass, Next next) {
    pass.take(next);
    if (isTemplateSettled(pass.draft().plan())) {
      sync(pass);
    }
    features.forEach(it -> it.keep(pass));
    return next;
  }

  private void sync(NodePass pass) {
    if (NodeObjects.areExpected(pass)) {
      objects.sync(pass);
      features.forEach(it -> it.sync(pass));
    }
  }

  /**
   * A pod without a stamp this build understands was made by another operator. What it stands for
   * is recorded before anything is compared with it, so that taking over restarts nothing; and
   * which fields of the spec are lost, which nothing else shows once they are hidden.
   */
  private Next recordBaseline(NodePass pass) {
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
                it -> it.podBaseline(baseline).podSpecHash(running ? hash : status.podSpecHash())));
    return Next.writeFirst("baseline");
  }

  private Next begin(NodePass pass, PlanDecision.Start start) {
    NodeView view = pass.view();
    TaskPlan old = handover.observed(pass, pass.draft().plan());
    SeiNodeStatus left = ConfigRecord.written(view.after(old).stored(), old);
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
    pass.update(status -> ConfigRecord.written(status, old));
    pass.update(status -> NodeStatus.planned(status, plan));
    return Next.writeFirst("plan");
  }

  private Next step(NodePass pass) {
    PlanEngine.Step step = engine.step(pass.draft().plan(), pass);
    pass.update(status -> status.withPlan(withStatefulSet(step.plan(), status)));
    if (step.plan().isFailed()) {
      pass.update(status -> ConfigRecord.written(status, step.plan()));
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
