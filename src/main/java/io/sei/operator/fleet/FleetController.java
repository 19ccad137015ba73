package io.sei.operator.fleet;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.FleetValidation;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.RolloutDecision;
import io.sei.operator.fleet.rollout.RolloutPlanner;
import io.sei.operator.fleet.status.FleetConditions;
import io.sei.operator.fleet.status.InvalidFleet;
import io.sei.operator.fleet.status.RolloutExplanation;
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
public final class FleetController {

  private static final Duration REVISION_RECHECK = Duration.ofSeconds(1);

  private final FleetObserver observer;
  private final RolloutPlanner planner;
  private final PlanEngine<FleetReconcile> engine;
  private final RevisionStore revisions;
  private final Children children;
  private final FleetNetwork network;
  private final FleetDeletion deletion;
  private final FleetStatusWriter writer;
  private final Clock clock;

  public FleetController(
      FleetObserver observer,
      PlanEngine<FleetReconcile> engine,
      RevisionStore revisions,
      Children children,
      FleetNetwork network,
      FleetDeletion deletion,
      FleetStatusWriter writer,
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
    List<FieldError> errors = FleetValidation.validate(deployment.getSpec());
    if (!errors.isEmpty()) {
      writer.write(deployment, InvalidFleet.status(deployment, errors, now()), context);
      return Optional.empty();
    }
    FleetReconcile reconcile = new FleetReconcile(observer.observe(deployment));
    if (deletion.needsFinalizer(deployment)
        && reconcile.refusals().run(() -> deletion.addFinalizer(deployment))) {
      return Optional.empty();
    }
    try {
      reconcile.refusals().run(() -> advance(reconcile));
    } finally {
      // Conditions say of the Services what is found now, whatever became of the nodes.
      keepServices(reconcile, context);
    }
    return reconcile.recheck();
  }

  private void keepServices(FleetReconcile reconcile, Context<SeiNodeDeployment> context) {
    try {
      network.sync(reconcile);
    } finally {
      conclude(reconcile, context);
    }
  }

  private void conclude(FleetReconcile reconcile, Context<SeiNodeDeployment> context) {
    if (reconcile.refusals().message().isPresent()) {
      reconcile.recheckAfter(reconcile.refusalRecheck());
    }
    FleetStatusWriter.summarize(reconcile);
    FleetConditions.derive(reconcile);
    reconcile.update(status -> status.withPhase(FleetStatusWriter.phase(reconcile)));
    reconcile.update(status -> status.withExplain(RolloutExplanation.of(reconcile.snapshot())));
    writer.write(reconcile, context);
  }

  /** Forgets what is kept in memory of a deployment that is gone. */
  public void forget(ResourceID deployment) {
    children.forget(deployment);
    writer.forget(deployment);
    network.forget(deployment);
  }

  private Optional<Duration> terminate(
      SeiNodeDeployment deployment, Context<SeiNodeDeployment> context) {
    SeiNodeDeploymentStatus status = FleetSnapshot.statusOf(deployment);
    if (status.phase() != FleetPhase.TERMINATING) {
      writer.write(deployment, status.withPhase(FleetPhase.TERMINATING), context);
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

  private void advance(FleetReconcile reconcile) {
    if (reconcile.snapshot().fleet().stream().anyMatch(FleetNode::contested)) {
      // The Go operator makes nodes from templates as well. The node's own status ends this.
      return;
    }
    Optional<Boolean> kept = reconcile.refusals().get(() -> revisions.record(reconcile.snapshot()));
    if (kept.isEmpty()) {
      // Without a way back no rollout goes on, but everything else does.
      children.sync(reconcile);
      return;
    }
    if (!kept.get()) {
      reconcile.recheckAfter(REVISION_RECHECK);
      return;
    }
    RolloutDecision decision = planner.decide(reconcile.snapshot());
    if (decision instanceof RolloutDecision.Persist persist) {
      reconcile.update(status -> persist.status());
      reconcile.recheckAfter(Duration.ZERO);
      return;
    }
    children.sync(reconcile);
    if (decision instanceof RolloutDecision.Continue proceed) {
      reconcile.judged(proceed.verdict());
      step(reconcile);
    } else if (decision instanceof RolloutDecision.Release) {
      reconcile.recheckAfter(Duration.ZERO);
    } else {
      revisions.prune(reconcile.snapshot());
    }
  }

  private void step(FleetReconcile reconcile) {
    PlanEngine.Step step = engine.step(reconcile.status().plan(), reconcile);
    step.recheck().ifPresent(reconcile::recheckAfter);
    reconcile.stepped(step.plan());
    reconcile.update(status -> withPlan(reconcile, status, step.plan()));
  }

  /** A complete plan ends its rollout in the same write. */
  static SeiNodeDeploymentStatus withPlan(
      FleetReconcile reconcile, SeiNodeDeploymentStatus status, TaskPlan plan) {
    if (plan.phase() != PlanPhase.COMPLETE) {
      return status.withPlan(plan);
    }
    String target = status.rollout().targetHash();
    boolean everyNode = reconcile.snapshot().fleet().stream().allMatch(node -> node.isOn(target));
    return status.with(
        it -> it.plan(null).rollout(null).templateHash(everyNode ? target : status.templateHash()));
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }
}
