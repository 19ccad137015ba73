package io.sei.operator.fleet;

import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.FleetValidation;
import io.sei.operator.base.Unreadable;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.fleet.model.Assigned;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.RolloutDecision;
import io.sei.operator.fleet.rollout.RolloutPlanner;
import io.sei.operator.fleet.status.FleetEvents;
import io.sei.operator.fleet.status.FleetStatus;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.Next;
import io.sei.operator.reconcile.Reconciling;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/**
 * A pass of a deployment: observe, record the template, decide on the rollout, bring nodes to their
 * templates, let features take their steps, keep the other objects. What the rollout decides is
 * persisted before a node is touched.
 *
 * @param coexistence ends the pass of a fleet that is another operator's
 */
public record FleetController(
    FleetObserver observer,
    RevisionStore revisions,
    Children children,
    Function<FleetReconcile, Next> coexistence,
    List<FleetFeature> features)
    implements Reconciling<SeiNodeDeployment, SeiNodeDeploymentStatus, FleetReconcile> {

  private static final Duration REVISION_RECHECK = Duration.ofSeconds(1);

  /** A backstop: the nodes' watch announces whatever a rollout waits for. */
  private static final Duration ROLLOUT_RECHECK = Duration.ofMinutes(1);

  @Override
  public List<FieldError> errors(SeiNodeDeployment deployment) {
    return FleetValidation.validate(deployment);
  }

  @Override
  public FleetReconcile observe(SeiNodeDeployment deployment, SeiNodeDeploymentStatus status) {
    return new FleetReconcile(observer.observe(deployment));
  }

  @Override
  public Next begin(FleetReconcile reconcile) {
    return coexistence.apply(reconcile);
  }

  @Override
  public Next act(FleetReconcile reconcile) {
    try {
      reconcile.refusals().get(() -> advance(reconcile)).ifPresent(reconcile::take);
      features.forEach(
          it -> reconcile.refusals().get(() -> it.settle(reconcile)).ifPresent(reconcile::take));
    } finally {
      // Conditions say of the other objects what is found now, whatever became of the nodes.
      features.forEach(feature -> feature.keep(reconcile));
    }
    return Next.goOn();
  }

  @Override
  public void report(FleetReconcile reconcile) {
    reconcile.update(status -> FleetStatus.of(reconcile, features));
  }

  @Override
  public SeiNodeDeploymentStatus statusOf(SeiNodeDeployment deployment) {
    return FleetSnapshot.statusOf(deployment);
  }

  @Override
  public TaskPlan planOf(SeiNodeDeploymentStatus status) {
    return status.plan();
  }

  @Override
  public SeiNodeDeploymentStatus invalid(
      SeiNodeDeployment deployment, List<FieldError> errors, Instant now) {
    return Unreadable.isStub(deployment)
        ? FleetStatus.unreadable(deployment, errors, now)
        : FleetStatus.invalid(observer.observeNodes(deployment), errors);
  }

  @Override
  public SeiNodeDeploymentStatus terminating(SeiNodeDeploymentStatus status) {
    return FleetStatus.terminating(status);
  }

  @Override
  public SeiNodeDeploymentStatus stalled(
      SeiNodeDeploymentStatus status, Finding finding, Long generation, Instant now) {
    return FleetStatus.stalled(status, finding, generation, now);
  }

  @Override
  public SeiNodeDeploymentStatus concluded(
      SeiNodeDeploymentStatus before,
      SeiNodeDeploymentStatus reached,
      Long generation,
      Instant now) {
    return FleetStatus.concluded(before, reached, generation, now);
  }

  @Override
  public List<ObjectEvent> events(SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    return FleetEvents.between(before, after, features);
  }

  private Next advance(FleetReconcile reconcile) {
    for (FleetFeature feature : features) {
      Next prepared = feature.prepare(reconcile);
      if (!prepared.goesOn()) {
        return prepared;
      }
    }
    reconcile
        .refusals()
        .run(() -> revisions.takeOver(reconcile.deployment(), reconcile.snapshot().revisions()));
    var kept =
        reconcile
            .refusals()
            .get(() -> revisions.record(reconcile.snapshot()))
            .orElse(RevisionStore.Outcome.REFUSED);
    return switch (kept) {
      case KEPT -> rollOut(reconcile);
      case WRITTEN -> Next.rest(REVISION_RECHECK);
      case REFUSED -> {
        // Without a way back no rollout goes on, and no change of configuration; all else does.
        children.sync(reconcile);
        reconcile.assigned(Assigned.NOT_YET);
        yield Next.goOn();
      }
    };
  }

  private Next rollOut(FleetReconcile reconcile) {
    return switch (decide(reconcile.snapshot())) {
      case RolloutDecision.Persist persist -> {
        reconcile.update(status -> persist.status());
        yield Next.writeFirst("rollout");
      }
      case RolloutDecision.Continue proceed -> {
        children.sync(reconcile);
        reconcile.judged(proceed.verdict(), proceed.plan());
        reconcile.update(status -> proceed.status());
        if (proceed.plan().isActive()) {
          reconcile.recheckAfter(ROLLOUT_RECHECK);
        }
        yield Next.goOn();
      }
      case RolloutDecision.Resume _ -> {
        children.sync(reconcile);
        yield Next.writeFirst("pause");
      }
      case RolloutDecision.Rest _ -> {
        children.sync(reconcile);
        revisions.prune(reconcile.snapshot());
        yield Next.goOn();
      }
    };
  }

  /** A node that the watches have not yet said is down counts before another one is admitted. */
  private RolloutDecision decide(FleetSnapshot snapshot) {
    RolloutDecision decision = RolloutPlanner.decide(snapshot);
    return decision instanceof RolloutDecision.Persist persist && persist.admits()
        ? RolloutPlanner.decide(observer.confirmed(snapshot))
        : decision;
  }
}
