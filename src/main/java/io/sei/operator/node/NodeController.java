package io.sei.operator.node;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.SpecValidation;
import io.sei.operator.chain.ChainClient;
import io.sei.operator.config.BucketsConfig;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.bootstrap.NeededBuckets;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PredecessorWrites;
import io.sei.operator.node.model.ProgressDeadline;
import io.sei.operator.node.status.Contested;
import io.sei.operator.node.status.InvalidSpec;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.plan.Backoff;
import io.sei.operator.reconcile.Refusals;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reconcile of a node, always in this order: observe, identify the StatefulSet, decide on a
 * plan, act, keep in sync, diagnose, write the status once. Whatever must be recorded before it is
 * done ends the reconcile; the next one does it. The status is concluded whatever fails: one that
 * stayed as it was would call a node Ready that is down. A node that a Go operator writes to is
 * left alone.
 *
 * @param progressDeadline how long a node may wait before it counts as stalled, unless its spec
 *     says otherwise
 * @param clock for what is stored
 */
public record NodeController(
    NodeObserver observer,
    NodeActions actions,
    NodeDeletion deletion,
    BackgroundReads reads,
    NodeDiagnosis diagnosis,
    UnwrittenSteps unwritten,
    NodeStatusWriter writer,
    ProgressDeadline progressDeadline,
    BucketsConfig buckets,
    Clock clock) {

  private static final Logger log = LoggerFactory.getLogger(NodeController.class);

  /**
   * A plan is recorded, runs to its end, and another may be due: what is left is done in the next
   * reconcile.
   */
  private static final int PASSES = 4;

  /**
   * Reconciles.
   *
   * @return when to reconcile again if no event comes first
   */
  public Optional<Duration> run(SeiNode node, Context<SeiNode> context) {
    if (node.isMarkedForDeletion()) {
      return terminate(node, context);
    }
    List<FieldError> errors = errors(node);
    if (!errors.isEmpty()) {
      writer.write(node, InvalidSpec.status(node, errors, now()), now(), context);
      return Optional.empty();
    }
    Optional<PredecessorWrites.Write> contest = observer.contest(node);
    if (contest.isPresent()) {
      leaveAlone(node, contest.get(), context);
      return Optional.of(PredecessorWatch.SILENCE);
    }
    var reconcile = new NodeReconcile(unwritten.resume(observer.observe(node)));
    if (deletion.needsFinalizer(node)
        && reconcile.refusals().run(() -> deletion.addFinalizer(node))) {
      return Optional.empty();
    }
    if (reads.awaitsFirstBlocks(reconcile)) {
      return Optional.of(ChainClient.LIMIT);
    }
    return pass(reconcile, context, 1);
  }

  /**
   * Acts and writes the status. What had to be recorded before it is done is recorded then, so the
   * same reconcile goes on with the version that the API server answered.
   */
  private Optional<Duration> pass(NodeReconcile reconcile, Context<SeiNode> context, int number) {
    if (reads.awaitsHeightBeforeStop(reconcile)) {
      // The answer to a write may be what brings the stop.
      return Optional.of(ChainClient.LIMIT);
    }
    Optional<SeiNode> written;
    try {
      reconcile.refusals().run(() -> actions.advance(reconcile));
    } finally {
      conclude(reconcile);
      written = write(reconcile, context);
    }
    boolean goesOn =
        written.isPresent()
            && number < PASSES
            && reconcile.recheck().equals(Optional.of(Duration.ZERO))
            && reconcile.refusals().message().isEmpty();
    return goesOn
        ? pass(reconcile.written(written.get()), context, number + 1)
        : reconcile.recheck();
  }

  /** The node as it was written; empty if there was nothing to write, or not yet. */
  private Optional<SeiNode> write(NodeReconcile reconcile, Context<SeiNode> context) {
    Optional<Duration> delay = unwritten.delay(reconcile);
    if (delay.isPresent()) {
      reconcile.recheckAfter(delay.get());
      return Optional.empty();
    }
    return writer.write(reconcile.node(), reconcile.status(), reconcile.snapshot().now(), context);
  }

  private List<FieldError> errors(SeiNode node) {
    List<FieldError> ofSpec = SpecValidation.validate(node.getSpec());
    return ofSpec.isEmpty() ? NeededBuckets.missing(node, buckets) : ofSpec;
  }

  /** Says which data a node took along that is gone, if nobody has said it yet. */
  public void gone(SeiNode last) {
    if (!last.isMarkedForDeletion()) {
      deletion.announce(last);
    }
  }

  /** Forgets what is kept in memory of a node that is gone. */
  public void forget(ResourceID node) {
    writer.forget(node);
  }

  private void leaveAlone(SeiNode node, PredecessorWrites.Write contest, Context<SeiNode> context) {
    NodeSnapshot snapshot = observer.observe(node);
    SeiNodeStatus status = Contested.status(snapshot, contest);
    if (!Contested.isSaid(snapshot.status())) {
      log.warn("Not managing this node: {}", Contested.message(contest));
    }
    writer.write(node, status, snapshot.now(), context);
  }

  private Optional<Duration> terminate(SeiNode node, Context<SeiNode> context) {
    reads.pause(ResourceID.fromResource(node));
    SeiNodeStatus status = NodeSnapshot.statusOf(node);
    if (status.phase() != NodePhase.TERMINATING) {
      deletion.announce(node);
      writer.write(node, status.withPhase(NodePhase.TERMINATING), now(), context);
      return Optional.empty();
    }
    var refusals = new Refusals();
    refusals.run(() -> deletion.release(node));
    Optional<Finding> refusal = refusals.finding();
    refusal.ifPresent(it -> writer.write(node, stalled(node, status, it), now(), context));
    return refusal.map(it -> Backoff.OF_TASKS.cap());
  }

  private SeiNodeStatus stalled(SeiNode node, SeiNodeStatus status, Finding refusal) {
    return status.withConditions(
        refusal.stalls(status.conditions(), node.getMetadata().getGeneration(), now()));
  }

  private void conclude(NodeReconcile reconcile) {
    reads.follow(reconcile);
    NodeStatus.record(reconcile);
    reads.logProbe().look(reconcile);
    Optional<Finding> finding = diagnosis.of(reconcile);
    if (finding.isEmpty()
        && reconcile.sidecarHealth().equals(Optional.of(SidecarHealth.UNREACHABLE))) {
      reconcile.recheckAfter(Diagnosis.SETTLES);
    }
    NodeStatus.derive(reconcile, finding, progressDeadline);
    if (reconcile.refusals().message().isPresent()) {
      reconcile.recheckAfter(reconcile.refusalRecheck());
    }
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }
}
