package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.SpecValidation;
import io.sei.operator.config.BucketsConfig;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.Refusals;
import io.sei.operator.node.bootstrap.BootstrapJobs;
import io.sei.operator.node.bootstrap.BootstrapTasks;
import io.sei.operator.node.bootstrap.ConfigRecord;
import io.sei.operator.node.bootstrap.NeededBuckets;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PredecessorWrites;
import io.sei.operator.node.model.ProgressDeadline;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.node.peers.PeerResolver;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.node.resources.NodeObjects;
import io.sei.operator.node.status.Contested;
import io.sei.operator.node.status.InvalidSpec;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.node.upgrade.Upgrades;
import io.sei.operator.plan.Backoff;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.plan.Plans;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reconcile of a node, always in this order: observe, identify the StatefulSet, decide on a
 * plan, act, keep in sync, diagnose, write the status once. Whatever must be recorded before it is
 * done ends the reconcile; the next one does it. The status is concluded whatever fails: one that
 * stayed as it was would call a node Ready that is down. A node that a Go operator writes to is
 * left alone.
 */
public final class NodeController {

  private static final Logger log = LoggerFactory.getLogger(NodeController.class);

  /**
   * A plan is recorded, runs to its end, and another may be due: what is left is done in the next
   * reconcile.
   */
  private static final int PASSES = 4;

  private final NodeObserver observer;
  private final NodePlanner planner;
  private final PlanEngine<NodeReconcile> engine;
  private final NodeObjects objects;
  private final BootstrapJobs bootstrapJobs;
  private final PlanHandover handover;
  private final Upgrades upgrades;
  private final VolumeRecords volume;
  private final NodeDeletion deletion;
  private final SidecarMonitor sidecars;
  private final CrashLogs logs;
  private final LogProbe logProbe;
  private final PeerResolver peers;
  private final ChainWatch chains;
  private final NodeDiagnosis diagnosis;
  private final ProgressDeadline progressDeadline;
  private final NodeStatusWriter writer;
  private final UnwrittenSteps unwritten;
  private final BucketsConfig buckets;
  private final Clock clock;

  /**
   * @param progressDeadline how long a node may wait before it counts as stalled, unless its spec
   *     says otherwise
   * @param clock for what is stored
   * @param steady for the ages of what is kept in memory; never set back or forth
   */
  public NodeController(
      NodeObserver observer,
      PlanEngine<NodeReconcile> engine,
      NodeObjects objects,
      BootstrapJobs bootstrapJobs,
      PlanHandover handover,
      Upgrades upgrades,
      SidecarClient sidecar,
      DataClaim dataClaim,
      NodeDeletion deletion,
      SidecarMonitor sidecars,
      CrashLogs logs,
      LogProbe logProbe,
      PeerResolver peers,
      ChainWatch chains,
      NodeDiagnosis diagnosis,
      NodeStatusWriter writer,
      ProgressDeadline progressDeadline,
      BucketsConfig buckets,
      Clock clock,
      Clock steady) {
    this.observer = observer;
    this.planner = new NodePlanner(engine::knows);
    this.engine = engine;
    this.objects = objects;
    this.bootstrapJobs = bootstrapJobs;
    this.handover = handover;
    this.upgrades = upgrades;
    this.volume = VolumeRecords.of(sidecar, objects, dataClaim);
    this.deletion = deletion;
    this.sidecars = sidecars;
    this.logs = logs;
    this.logProbe = logProbe;
    this.peers = peers;
    this.chains = chains;
    this.diagnosis = diagnosis;
    this.progressDeadline = progressDeadline;
    this.writer = writer;
    this.unwritten = new UnwrittenSteps(steady);
    this.buckets = buckets;
    this.clock = clock;
  }

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
    return pass(reconcile, context, 1);
  }

  /**
   * Acts and writes the status. What had to be recorded before it is done is recorded then, so the
   * same reconcile goes on with the version that the API server answered.
   */
  private Optional<Duration> pass(NodeReconcile reconcile, Context<SeiNode> context, int number) {
    Optional<SeiNode> written;
    try {
      reconcile.refusals().run(() -> advance(reconcile));
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

  /** Forgets what is kept in memory of a node that is gone, after a last word if it had none. */
  public void gone(SeiNode last) {
    if (!last.isMarkedForDeletion()) {
      deletion.announce(last);
    }
    forget(ResourceID.fromResource(last));
  }

  /** Forgets what is kept in memory of a node that is gone. */
  public void forget(ResourceID node) {
    objects.forget(node);
    sidecars.forget(node);
    logs.forget(node);
    logProbe.forget(node);
    diagnosis.forget(node);
    peers.forget(node);
    chains.forget(node);
    upgrades.forget(node);
    unwritten.forget(node);
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
    sidecars.forget(ResourceID.fromResource(node));
    chains.forget(ResourceID.fromResource(node));
    SeiNodeStatus status = NodeSnapshot.statusOf(node);
    if (status.phase() != NodePhase.TERMINATING) {
      deletion.announce(node);
      writer.write(node, status.withPhase(NodePhase.TERMINATING), now(), context);
      return Optional.empty();
    }
    var refusals = new Refusals();
    refusals.run(() -> deletion.release(node));
    Optional<Finding> refusal = refusals.message().map(Diagnosis::refused);
    refusal.ifPresent(it -> writer.write(node, stalled(node, status, it), now(), context));
    return refusal.map(it -> Backoff.OF_TASKS.cap());
  }

  private SeiNodeStatus stalled(SeiNode node, SeiNodeStatus status, Finding refusal) {
    return status.withConditions(
        refusal.stalls(status.conditions(), node.getMetadata().getGeneration(), now()));
  }

  private void advance(NodeReconcile reconcile) {
    if (!objects.identify(reconcile) || recordBaseline(reconcile)) {
      return;
    }
    ConfigRecord.adopt(reconcile);
    if (reconcile.snapshot().isPaused()) {
      reconcile.refusals().run(() -> bootstrapJobs.stop(reconcile));
      objects.sync(reconcile);
      return;
    }
    if (volume.areUnsettled(reconcile) || upgrades.record(reconcile)) {
      return;
    }
    PlanDecision decision = planner.decide(reconcile.snapshot());
    if (decision instanceof PlanDecision.Start start) {
      begin(reconcile, start);
      return;
    }
    if (decision instanceof PlanDecision.BackOff backOff) {
      reconcile.recheckAfter(backOff.after());
    } else if (decision instanceof PlanDecision.Continue) {
      step(reconcile);
    }
    if (isTemplateSettled(reconcile.status().plan())) {
      objects.sync(reconcile);
    }
    upgrades.prepare(reconcile);
  }

  /**
   * A pod without a stamp this build understands was made by another operator. What it stands for
   * is recorded before anything is compared with it, so that taking over restarts nothing.
   */
  private static boolean recordBaseline(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    Optional<Pod> unknown = snapshot.livePod().filter(pod -> snapshot.stampOf(pod).isEmpty());
    if (unknown.isEmpty()) {
      return false;
    }
    String hash = Baseline.of(snapshot.node(), unknown.get());
    var baseline = new PodBaseline(unknown.get().getMetadata().getUid(), hash);
    boolean running = snapshot.isRunning();
    reconcile.update(
        status ->
            status.with(
                it -> it.podBaseline(baseline).podSpecHash(running ? hash : status.podSpecHash())));
    reconcile.recheckAfter(Duration.ZERO);
    return true;
  }

  private void begin(NodeReconcile reconcile, PlanDecision.Start start) {
    NodeSnapshot snapshot = reconcile.snapshot();
    TaskPlan old = handover.observed(reconcile, reconcile.status().plan());
    TaskPlan plan =
        BootstrapTasks.carriedOver(
            old,
            Plans.supersede(
                handover.reusable(old, start.kind()),
                UUID.randomUUID().toString(),
                NodePlans.of(start.kind(), snapshot.after(old)),
                start.attempt(),
                snapshot.now()));
    if (!handover.isClear(reconcile, old, plan)) {
      // A sidecar that went with its StatefulSet can be asked once it is back.
      if (reconcile.statefulSet().isEmpty() && !BootstrapTasks.isUnderWay(old)) {
        objects.syncStatefulSet(reconcile);
      }
      return;
    }
    ConfigRecord.written(reconcile, old);
    reconcile.update(status -> NodeStatus.planned(status, plan));
    reconcile.recheckAfter(Duration.ZERO);
  }

  private void step(NodeReconcile reconcile) {
    PlanEngine.Step step = engine.step(reconcile.status().plan(), reconcile);
    reconcile.update(status -> status.withPlan(withStatefulSet(step.plan(), status)));
    step.recheck().ifPresent(reconcile::recheckAfter);
    if (!step.plan().isActive()) {
      // What is due next may have become so while the plan was active, and nothing announces it.
      reconcile.recheckAfter(Duration.ZERO);
    }
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

  private void conclude(NodeReconcile reconcile) {
    watchSidecar(reconcile);
    chains.observe(reconcile.snapshot());
    ResourceID id = ResourceID.fromResource(reconcile.node());
    reconcile
        .snapshot()
        .livePod()
        .ifPresentOrElse(pod -> logs.look(id, pod), () -> logs.forget(id));
    NodeStatus.record(reconcile);
    logProbe.look(reconcile);
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

  private void watchSidecar(NodeReconcile reconcile) {
    ResourceID id = ResourceID.fromResource(reconcile.node());
    reconcile
        .snapshot()
        .livePod()
        .filter(pod -> pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase()))
        .ifPresentOrElse(
            pod -> {
              sidecars.watch(id, reconcile.sidecar());
              peers.announce(reconcile.node(), pod);
            },
            () -> sidecars.forget(id));
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }
}
