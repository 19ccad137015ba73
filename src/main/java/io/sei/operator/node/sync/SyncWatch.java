package io.sei.operator.node.sync;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Freeze;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.chain.SyncClient;
import io.sei.operator.chain.SyncState;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.node.model.NodeView;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Asks each node how far it is, away from the reconciles, for as long as it has a pod in which seid
 * may run. Only what changes the report wakes the node: new blocks wake no node.
 */
public final class SyncWatch {

  /** Of a node that has been asked for a while. */
  static final Duration CALM = Duration.ofSeconds(30);

  /** Of a pod that is new, or that has just become Ready. */
  static final Duration SOON = Duration.ofSeconds(2);

  private static final int TIMES = 60;

  /** One node, and its questions: at most one is under way or due. */
  private static final class Watched {
    private final ResourceID node;
    private final String chainId;
    private final Optional<Freeze> freeze;
    private Optional<String> pod = Optional.empty();
    private Optional<String> run = Optional.empty();
    private Optional<NodeRpc> rpc = Optional.empty();
    private boolean ready;
    private boolean served;
    private boolean idle = true;
    private Optional<ScheduledFuture<?>> due = Optional.empty();
    private int soon;
    private Sync sync;

    Watched(ResourceID node, SeiNodeSpec spec, Instant now) {
      this.node = node;
      this.chainId = spec.chainId();
      this.freeze = spec.freeze();
      this.sync = Sync.unasked(now);
    }

    /**
     * Notes the pod.
     *
     * @return whether the node is to be asked at once because of it
     */
    boolean become(Optional<Pod> now) {
      Optional<String> uid = now.map(it -> it.getMetadata().getUid());
      boolean isReady = now.filter(PodFacts::isReady).isPresent();
      boolean isNew = uid.isPresent() && (!uid.equals(pod) || isReady != ready);
      if (isNew) {
        soon = TIMES;
      }
      Optional<SeidState> seid = now.map(SeidState::of);
      Optional<String> nowRuns = seid.flatMap(SeidState::running);
      if (!nowRuns.equals(run)) {
        sync = sync.withoutRun();
        served = false;
      }
      served |= nowRuns.isPresent() && seid.filter(SeidState::hasServed).isPresent();
      pod = uid;
      run = nowRuns;
      ready = isReady;
      rpc =
          now.map(
              it ->
                  new NodeRpc(
                      it.getMetadata().getNamespace(), node.getName(), PodFacts.address(it)));
      return isNew;
    }

    /** Records the answer of the RPC, or its failure. */
    void heard(Optional<SyncState> answer, long others, Instant now) {
      served |= run.isPresent() && answer.isPresent();
      boolean fallsSilent = answer.isEmpty() && sync.standing() != CatchUpState.SILENT;
      if (fallsSilent && served) {
        soon = TIMES;
      }
      sync =
          answer
              .map(state -> sync.heard(state, isFrozenAt(state.height()), others, now))
              .orElseGet(() -> sync.silent(now));
      settle(now);
    }

    /** Derives the reported state anew, which depends on the time. */
    void settle(Instant now) {
      sync = sync.at(ready, now).hanging(served && !ready, now);
    }

    boolean isFrozenAt(long height) {
      return freeze.filter(it -> !it.executes(height + 1)).isPresent();
    }

    /** Whether a question that is due is given up, for one at once. */
    boolean giveUpDue() {
      return due.filter(it -> it.cancel(false)).isPresent();
    }

    Duration pause() {
      boolean isSoon = soon > 0 && !(sync.isSettled() && sync.standing().isComplete());
      soon = Math.max(0, soon - 1);
      return isSoon ? SOON : CALM;
    }

    /** Whether nothing more can be heard: it has no pod, and that is reported. */
    boolean isOver() {
      return rpc.isEmpty() && sync.isSettled();
    }
  }

  private final SyncClient client;
  private final Clock clock;
  private final PerObjectState<ResourceID> memory;
  private final ScheduledExecutorService scheduler;
  private final PerObjectMap<ResourceID, Watched> watched;

  /**
   * @param scheduler asks; shut down by its owner
   */
  public SyncWatch(
      SyncClient client,
      Clock clock,
      PerObjectState<ResourceID> memory,
      ScheduledExecutorService scheduler) {
    this.client = client;
    this.clock = clock;
    this.memory = memory;
    this.scheduler = scheduler;
    this.watched = memory.newMap();
  }

  /** Notes a node as it was just observed, and says what is known. Never waits. */
  Sync observe(NodeView view) {
    ResourceID node = ResourceID.fromResource(view.node());
    SeiNodeSpec spec = view.node().getSpec();
    Watched it =
        watched
            .compute(
                node, before -> before == null ? new Watched(node, spec, clock.instant()) : before)
            .orElseThrow();
    return observe(it, view.livePod().filter(pod -> !PodFacts.isIdle(pod) && view.servesRpc()));
  }

  private synchronized Sync observe(Watched it, Optional<Pod> pod) {
    boolean isNew = it.become(pod);
    it.settle(clock.instant());
    if ((it.idle && !it.isOver()) || (isNew && it.giveUpDue())) {
      askAfter(it, Duration.ZERO);
    }
    return it.sync;
  }

  /** The last answer of a node, if it answers; sends no request. */
  public synchronized Optional<SyncState> last(SeiNode node) {
    return watched.get(ResourceID.fromResource(node)).flatMap(it -> it.sync.last());
  }

  /** The greatest height that another node of its chain and namespace has. */
  private long others(Watched of) {
    return watched
        .values()
        .filter(it -> it != of && it.chainId.equals(of.chainId))
        .filter(it -> it.node.getNamespace().equals(of.node.getNamespace()))
        .flatMap(it -> it.sync.last().stream())
        .mapToLong(SyncState::height)
        .max()
        .orElse(0);
  }

  private synchronized void askAfter(Watched it, Duration pause) {
    it.idle = scheduler.isShutdown();
    if (!it.idle) {
      it.due =
          Optional.of(scheduler.schedule(() -> ask(it), pause.toMillis(), TimeUnit.MILLISECONDS));
    }
  }

  private void ask(Watched it) {
    if (watched.get(it.node).filter(kept -> kept == it).isEmpty()) {
      return;
    }
    Optional<NodeRpc> rpc;
    synchronized (this) {
      rpc = it.rpc;
    }
    rpc.ifPresentOrElse(
        at ->
            client
                .askSync(at, it.chainId)
                .whenComplete((answer, error) -> answered(it, Optional.ofNullable(answer))),
        () -> answered(it, Optional.empty()));
  }

  private void answered(Watched it, Optional<SyncState> answer) {
    boolean news;
    synchronized (this) {
      Instant now = clock.instant();
      Sync before = it.sync;
      it.heard(answer, others(it), now);
      news = it.sync.isNews(before);
      it.idle = it.isOver();
      if (!it.idle) {
        askAfter(it, it.pause());
      }
    }
    if (news) {
      memory.wake(it.node);
    }
  }
}
