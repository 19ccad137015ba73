package io.sei.operator.deployment;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.DeploymentPhase;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.DeploymentValidation;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.Refusals;
import io.sei.operator.plan.Backoff;
import io.sei.operator.plan.PlanEngine;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * One reconcile of a deployment, always in this order: observe, keep the templates, decide on the
 * rollout, bring nodes to their templates, step the plan, keep the Services, write the status once.
 * What the rollout decides is persisted before a node is touched; the next reconcile does it. The
 * status is concluded whatever fails.
 */
public final class DeploymentPipeline {

  private static final Duration REVISION_RECHECK = Duration.ofSeconds(1);

  private final DeploymentObserver observer;
  private final RolloutPlanner planner;
  private final PlanEngine<DeploymentWork> engine;
  private final RevisionStore revisions;
  private final Children children;
  private final FleetNetwork network;
  private final DeploymentDeletion deletion;
  private final DeploymentStatusWriter writer;
  private final Clock clock;

  public DeploymentPipeline(
      DeploymentObserver observer,
      PlanEngine<DeploymentWork> engine,
      RevisionStore revisions,
      Children children,
      FleetNetwork network,
      DeploymentDeletion deletion,
      DeploymentStatusWriter writer,
      Clock clock) {
    this.observer = observer;
    this.planner = new RolloutPlanner(engine::knows);
    this.engine = engine;
    this.revisions = revisions;
    this.children = children;
    this.network = network;
    this.deletion = deletion;
    this.writer = writer;
    this.clock = clock;
  }

  /**
   * Reconciles.
   *
   * @return when to reconcile again if no event comes first
   */
  public Optional<Duration> run(SeiNodeDeployment deployment, Context<SeiNodeDeployment> context) {
    if (deployment.isMarkedForDeletion()) {
      return terminate(deployment, context);
    }
    List<FieldError> errors =
        DeploymentValidation.validate(deployment.getMetadata().getName(), deployment.getSpec());
    if (!errors.isEmpty()) {
      writer.write(deployment, InvalidDeployment.status(deployment, errors, now()), context);
      return Optional.empty();
    }
    DeploymentWork work = new DeploymentWork(observer.observe(deployment));
    if (deletion.needsFinalizer(deployment)
        && work.refusals().run(() -> deletion.addFinalizer(deployment))) {
      return Optional.empty();
    }
    try {
      work.refusals().run(() -> advance(work));
    } finally {
      // Conditions say of the Services what is found now, whatever became of the nodes.
      keepServices(work, context);
    }
    return work.recheck();
  }

  private void keepServices(DeploymentWork work, Context<SeiNodeDeployment> context) {
    try {
      network.sync(work);
    } finally {
      conclude(work, context);
    }
  }

  private void conclude(DeploymentWork work, Context<SeiNodeDeployment> context) {
    if (work.refusals().message().isPresent()) {
      work.recheckAfter(work.refusalRecheck());
    }
    DeploymentStatusWriter.summarize(work);
    DeploymentConditions.derive(work);
    work.update(status -> status.withPhase(DeploymentStatusWriter.phase(work)));
    work.update(status -> status.withExplain(RolloutExplanation.of(work.snapshot())));
    writer.write(work, context);
  }

  /** Forgets what is kept in memory of a deployment that is gone. */
  public void forget(ResourceID deployment) {
    children.forget(deployment);
    writer.forget(deployment);
    network.forget(deployment);
  }

  private Optional<Duration> terminate(
      SeiNodeDeployment deployment, Context<SeiNodeDeployment> context) {
    SeiNodeDeploymentStatus status = DeploymentObserver.statusOf(deployment);
    if (status.phase() != DeploymentPhase.TERMINATING) {
      writer.write(deployment, status.withPhase(DeploymentPhase.TERMINATING), context);
      return Optional.empty();
    }
    var refusals = new Refusals();
    refusals.run(() -> deletion.release(deployment));
    Optional<Finding> refusal = refusals.message().map(Diagnosis::refused);
    refusal.ifPresent(it -> writer.write(deployment, stalled(deployment, status, it), context));
    return refusal.map(it -> Backoff.OF_TASKS.cap());
  }

  private SeiNodeDeploymentStatus stalled(
      SeiNodeDeployment deployment, SeiNodeDeploymentStatus status, Finding refusal) {
    return status.withConditions(
        refusal.stalls(status.conditions(), deployment.getMetadata().getGeneration(), now()));
  }

  private void advance(DeploymentWork work) {
    if (work.snapshot().fleet().stream().anyMatch(FleetNode::contested)) {
      // The Go operator makes nodes from templates as well. The node's own status ends this.
      return;
    }
    Optional<Boolean> kept = work.refusals().get(() -> revisions.record(work.snapshot()));
    if (kept.isEmpty()) {
      // Without a way back no rollout goes on, but everything else does.
      children.sync(work);
      return;
    }
    if (!kept.get()) {
      work.recheckAfter(REVISION_RECHECK);
      return;
    }
    RolloutDecision decision = planner.decide(work.snapshot());
    if (decision instanceof RolloutDecision.Persist persist) {
      work.update(status -> persist.status());
      work.recheckAfter(Duration.ZERO);
      return;
    }
    children.sync(work);
    if (decision instanceof RolloutDecision.Continue proceed) {
      work.judged(proceed.verdict());
      step(work);
    } else if (decision instanceof RolloutDecision.Release) {
      work.recheckAfter(Duration.ZERO);
    } else {
      revisions.prune(work.snapshot());
    }
  }

  private void step(DeploymentWork work) {
    PlanEngine.Step step = engine.step(work.status().plan(), work);
    step.recheck().ifPresent(work::recheckAfter);
    work.stepped(step.plan());
    work.update(status -> withPlan(work, status, step.plan()));
  }

  /** A complete plan ends its rollout in the same write. */
  static SeiNodeDeploymentStatus withPlan(
      DeploymentWork work, SeiNodeDeploymentStatus status, TaskPlan plan) {
    if (plan.phase() != PlanPhase.COMPLETE) {
      return status.withPlan(plan);
    }
    String target = status.rollout().targetHash();
    boolean everyNode = work.snapshot().fleet().stream().allMatch(node -> node.isOn(target));
    return status.with(
        it -> it.plan(null).rollout(null).templateHash(everyNode ? target : status.templateHash()));
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }
}
