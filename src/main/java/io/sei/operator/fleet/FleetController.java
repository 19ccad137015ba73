package io.sei.operator.fleet;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.FleetValidation;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.RolloutDecision;
import io.sei.operator.fleet.rollout.ConfigurationOrder;
import io.sei.operator.fleet.rollout.RolloutPlanner;
import io.sei.operator.fleet.snapshots.SnapshotRuns;
import io.sei.operator.fleet.status.FleetStatus;
import io.sei.operator.kube.Refusals;
import io.sei.operator.plan.Backoff;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * One reconcile of a deployment, always in this order: observe, record the template, decide on the
 * rollout, bring nodes to their templates, keep the other objects, write the status. What the
 * rollout decides is persisted before a node is touched; then the reconcile starts over with what
 * the API server answered. The status is concluded whatever fails.
 */
public record FleetController(
    FleetObserver observer,
    RevisionStore revisions,
    Children children,
    FleetObjects objects,
    InheritedObjects inherited,
    SnapshotRuns snapshots,
    FleetDeletion deletion,
    FleetStatusWriter writer,
    Clock clock) {

  private static final Duration REVISION_RECHECK = Duration.ofSeconds(1);

  /** The start of a rollout, its first admission, and the nodes; one more for what a user edits. */
  private static final int PASSES = 4;

  /** A backstop: the nodes' watch announces whatever a rollout waits for. */
  private static final Duration ROLLOUT_RECHECK = Duration.ofMinutes(1);

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
      writer.write(
          deployment, FleetStatus.invalid(observer.observeNodes(deployment), errors), context);
      return Optional.empty();
    }
    return pass(deployment, context, 1);
  }

  private Optional<Duration> pass(
      SeiNodeDeployment deployment, Context<SeiNodeDeployment> context, int number) {
    FleetReconcile reconcile = new FleetReconcile(observer.observe(deployment));
    if (deletion.needsFinalizer(deployment)
        && reconcile.refusals().run(() -> deletion.addFinalizer(deployment))) {
      return Optional.empty();
    }
    Optional<SeiNodeDeployment> written;
    try {
      reconcile.refusals().run(() -> advance(reconcile));
      reconcile.refusals().run(() -> snapshots.advance(reconcile));
    } finally {
      // Conditions say of the other objects what is found now, whatever became of the nodes.
      written = keepObjects(reconcile, context);
    }
    boolean startsOver =
        written.isPresent()
            && number < PASSES
            && reconcile.recheck().equals(Optional.of(Duration.ZERO))
            && reconcile.refusals().message().isEmpty();
    return startsOver ? pass(written.get(), context, number + 1) : reconcile.recheck();
  }

  private Optional<SeiNodeDeployment> keepObjects(
      FleetReconcile reconcile, Context<SeiNodeDeployment> context) {
    Optional<SeiNodeDeployment> written;
    try {
      inherited.sync(reconcile);
      objects.sync(reconcile);
    } finally {
      written = writer.write(reconcile, context);
    }
    return written;
  }

  /** Says which data a deployment took along that is gone, if nobody has said it yet. */
  public void gone(SeiNodeDeployment last) {
    if (!last.isMarkedForDeletion()) {
      deletion.announce(last);
    }
  }

  /** Forgets what is kept in memory of a deployment that is gone. */
  public void forget(ResourceID deployment) {
    objects.forget(deployment);
    writer.forget(deployment);
    inherited.forget(deployment);
  }

  private Optional<Duration> terminate(
      SeiNodeDeployment deployment, Context<SeiNodeDeployment> context) {
    if (FleetSnapshot.statusOf(deployment).phase() != FleetPhase.TERMINATING) {
      deletion.announce(deployment);
      writer.write(deployment, FleetStatus.terminating(deployment), context);
      return Optional.empty();
    }
    var refusals = new Refusals();
    refusals.run(() -> snapshots.abandon(deployment, observer.nodes(deployment)));
    refusals.run(() -> deletion.release(deployment));
    Optional<String> refusal = refusals.message();
    refusal.ifPresent(
        it ->
            writer.write(
                deployment, FleetStatus.terminatingRefused(deployment, it, now()), context));
    return refusal.map(it -> Backoff.OF_TASKS.cap());
  }

  private void advance(FleetReconcile reconcile) {
    if (reconcile.snapshot().fleet().stream().anyMatch(FleetNode::contested)) {
      // The Go operator makes nodes from templates as well. The node's own status ends this.
      return;
    }
    reconcile
        .refusals()
        .run(() -> revisions.takeOver(reconcile.deployment(), reconcile.snapshot().revisions()));
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
    switch (decide(reconcile.snapshot())) {
      case RolloutDecision.Persist persist -> {
        reconcile.update(status -> persist.status());
        reconcile.recheckAfter(Duration.ZERO);
      }
      case RolloutDecision.Continue proceed -> {
        syncChildren(reconcile);
        reconcile.judged(proceed.verdict(), proceed.plan());
        reconcile.update(status -> proceed.status().withConfiguration(status.configuration()));
        if (proceed.plan().isActive()) {
          reconcile.recheckAfter(ROLLOUT_RECHECK);
        }
      }
      case RolloutDecision.Resume _ -> {
        syncChildren(reconcile);
        reconcile.recheckAfter(Duration.ZERO);
      }
      case RolloutDecision.Rest _ -> {
        syncChildren(reconcile);
        revisions.prune(reconcile.snapshot());
      }
    }
  }

  /** A node that the watches have not yet said is down counts before another one is admitted. */
  private RolloutDecision decide(FleetSnapshot snapshot) {
    return switch (RolloutPlanner.decide(snapshot)) {
      case RolloutDecision.Persist(_, boolean admits) when admits ->
          RolloutPlanner.decide(observer.confirmed(snapshot));
      case RolloutDecision decision -> decision;
    };
  }

  private void syncChildren(FleetReconcile reconcile) {
    children.sync(reconcile);
    configure(reconcile);
  }

  /** What is decided of a spec that was just written would be decided of an older status. */
  private static void configure(FleetReconcile reconcile) {
    FleetConfiguration known = reconcile.status().configuration();
    FleetConfiguration next = ConfigurationOrder.of(reconcile.snapshot()).next();
    boolean settled = reconcile.assigned().orElse(false);
    if (next.equals(known) || (known != null && !settled)) {
      return;
    }
    reconcile.update(status -> status.withConfiguration(next));
    if (known != null) {
      // Whoever is next is given it by the next reconcile.
      reconcile.assigned(false);
      reconcile.recheckAfter(Duration.ZERO);
    }
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }
}
