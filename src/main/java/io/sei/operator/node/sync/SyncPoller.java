package io.sei.operator.node.sync;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Freeze;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.base.Answer;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Poller.Demand;
import io.sei.operator.base.Polling;
import io.sei.operator.chain.ChainClient;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.chain.SyncClient;
import io.sei.operator.chain.SyncState;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.Labels;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Polls the RPC of each node for its height, for as long as the node has a pod in which seid may
 * run. Only what changes a report reconciles the node: new blocks do not.
 *
 * <p>A fleet waits for the first block of a node that has just become Ready, since seid calls
 * itself ready until a peer has told it how far the chain is. Such a node is polled every second,
 * for half a minute at most; after that the fleet falls back to the time that the node is Ready.
 */
public final class SyncPoller {

  /**
   * Period of a node that has caught up. A pod that is no longer Ready is polled at once, and a
   * height that stands still for {@link HeightRecord#LONG} is reported within five minutes.
   */
  static final Duration CALM = Duration.ofMinutes(1);

  /** Period of any other node that has been polled for a while. */
  static final Duration BEHIND = Duration.ofSeconds(30);

  /** Period of a pod that is new, or that has just become Ready. */
  static final Duration SOON = Duration.ofSeconds(2);

  private static final Duration EAGER = Duration.ofMinutes(2);

  /** Time for which the first block of a node that became Ready is awaited. */
  private static final Duration FIRST_BLOCK = Duration.ofSeconds(30);

  private static final Demand FOR_FIRST_BLOCK =
      new Demand(Duration.ofSeconds(1), Duration.ofSeconds(1), FIRST_BLOCK);

  /** The asker whose demand {@link #FOR_FIRST_BLOCK} is. */
  private static final String FLEET = "fleet";

  /** A run of seid, as far as its answers depend on it. */
  private record Question(
      Optional<NodeRpc> rpc,
      String chainId,
      Optional<String> podUid,
      Optional<String> run,
      boolean isReady) {}

  /** The first block of a run: newer than the run, and above what the node had before. */
  private record FirstBlock(Instant runBegan, long above, Instant wantedSince) {

    boolean isIn(SyncState state, Instant now) {
      return !state.catchingUp()
          && state.time().isAfter(runBegan)
          && state.height() > above
          && !now.isAfter(wantedSince.plus(FIRST_BLOCK));
    }

    /** Returns for how long the first answer may take, unless the request waits for others. */
    Duration leftForAnswer(Instant now) {
      return Duration.between(now, wantedSince.plus(ChainClient.LIMIT));
    }
  }

  /** A node and its answers. */
  private static final class Watched {
    private final ResourceID node;
    private final String chainId;
    private final Optional<Freeze> freeze;
    private final Clock clock;
    private final Clock steady;
    private Question question;
    private boolean hasAnswered;

    /** The last answer to the question. */
    private Optional<SyncState> answer = Optional.empty();

    private boolean isKeyWanted;
    private boolean isAwaited;
    private boolean served;
    private Instant eagerUntil = Instant.MIN;
    private FirstBlock wanted;
    private Optional<Long> firstBlock = Optional.empty();
    private Sync sync;

    Watched(ResourceID node, SeiNodeSpec spec, Clock clock, Clock steady) {
      this.node = node;
      this.chainId = spec.chainId();
      this.freeze = spec.freeze();
      this.clock = clock;
      this.steady = steady;
      this.question =
          new Question(Optional.empty(), chainId, Optional.empty(), Optional.empty(), false);
      this.sync = Sync.unasked(clock.instant());
    }

    void observe(Optional<Pod> pod) {
      Optional<SeidState> seid = pod.map(SeidState::of);
      var present =
          new Question(
              pod.map(this::rpc),
              chainId,
              pod.map(running -> running.getMetadata().getUid()),
              seid.flatMap(SeidState::running),
              pod.filter(PodFacts::isReady).isPresent());
      boolean isNewPod = !present.podUid().equals(question.podUid());
      if (pod.isPresent() && (isNewPod || present.isReady() != question.isReady())) {
        eagerUntil = steady.instant().plus(EAGER);
      }
      if (!present.run().equals(question.run())) {
        sync = sync.withoutRun();
        served = false;
      }
      if (!present.equals(question)) {
        hasAnswered = false;
        answer = Optional.empty();
        wanted = null;
        firstBlock = Optional.empty();
      }
      served |= present.run().isPresent() && seid.filter(SeidState::hasServed).isPresent();
      question = present;
      settle();
    }

    private NodeRpc rpc(Pod pod) {
      return new NodeRpc(pod.getMetadata().getNamespace(), node.getName(), PodFacts.address(pod));
    }

    /**
     * Begins to wait for the first block of a run.
     *
     * @return whether it has just begun to
     */
    boolean wantFirstBlock(NodeView view, Optional<Pod> pod) {
      Optional<Instant> runBegan = pod.map(SeidState::of).flatMap(SeidState::runningSince);
      Instant readySince = readySince(view.stored());
      if (wanted != null
          || runBegan.isEmpty()
          || question.run().isEmpty()
          || !question.isReady()
          || Labels.of(view.node(), Labels.NODE_DEPLOYMENT).isEmpty()
          || (readySince != null && readySince.plus(FIRST_BLOCK).isBefore(view.now()))) {
        return false;
      }
      SeidRun known = view.stored().seid();
      boolean hasHeight = known != null && known.height() != null;
      wanted = new FirstBlock(runBegan.get(), hasHeight ? known.height() : 0, steady.instant());
      return true;
    }

    /**
     * Returns since when the present run has been Ready, as recorded; null if it is a new one. A
     * run that is not recorded at all, such as after an adoption, has been so for as long as the
     * node.
     */
    private Instant readySince(SeiNodeStatus stored) {
      SeidRun known = stored.seid();
      if (known == null || known.containerID() == null) {
        return stored.readySince();
      }
      return question.run().equals(Optional.of(known.containerID())) ? known.readyAt() : null;
    }

    /** Records an answer, or a failure, and returns whether the node is reconciled for it. */
    boolean record(Optional<SyncState> heard, long others) {
      Instant now = clock.instant();
      Sync before = sync;
      served |= question.run().isPresent() && heard.isPresent();
      boolean fallsSilent = heard.isEmpty() && sync.standing() != CatchUpState.SILENT;
      if (fallsSilent && served) {
        eagerUntil = steady.instant().plus(EAGER);
      }
      sync =
          heard.isPresent()
              ? sync.heard(heard.get(), isFrozenAt(heard.get().height()), others, now)
              : sync.silent(now);
      settle();
      boolean isFirst =
          firstBlock.isEmpty()
              && wanted != null
              && heard.filter(state -> wanted.isIn(state, steady.instant())).isPresent();
      if (isFirst) {
        firstBlock = heard.map(SyncState::height);
      }
      boolean isOtherKey =
          isKeyWanted
              && heard.isPresent()
              && !heard.get().signingKey().equals(answer.flatMap(SyncState::signingKey));
      boolean wasAwaited = isAwaited;
      answer = heard.or(() -> answer);
      hasAnswered = true;
      isAwaited = false;
      return isFirst || wasAwaited || isOtherKey || sync.isNews(before);
    }

    /** Derives the reported state anew, which depends on the time. */
    private void settle() {
      Instant now = clock.instant();
      sync = sync.at(question.isReady(), now).hanging(served && !question.isReady(), now);
    }

    private boolean isFrozenAt(long height) {
      return freeze.filter(freezing -> !freezing.executes(height + 1)).isPresent();
    }

    Demand demand() {
      if (sync.isSettled() && sync.standing().isComplete()) {
        return Demand.every(CALM);
      }
      return Demand.every(steady.instant().isBefore(eagerUntil) ? SOON : BEHIND);
    }

    /** Returns whether nothing more can be heard: there is no pod, and that is reported. */
    boolean isOver() {
      return question.rpc().isEmpty() && sync.isSettled();
    }
  }

  private final Clock clock;
  private final Clock steady;
  private final PerObjectMap<ResourceID, Watched> watched;
  private final Poller<ResourceID, Question, SyncState> poller;

  /**
   * @param clock judges the time of blocks
   */
  public SyncPoller(SyncClient client, Clock clock, Polling<ResourceID> polling) {
    this.clock = clock;
    this.steady = polling.clock();
    this.watched = polling.memory().newMap();
    this.poller = new Poller<>(polling, question -> ask(client, question), this::answered);
  }

  private static CompletableFuture<SyncState> ask(SyncClient client, Question question) {
    return question
        .rpc()
        .map(rpc -> client.askSync(rpc, question.chainId()))
        .orElseGet(() -> CompletableFuture.failedFuture(new NoSuchElementException()));
  }

  /** Notes a node as it was just observed, and returns what is known. Never waits. */
  Sync observe(NodeView view) {
    Watched node = watch(view);
    synchronized (this) {
      return node.sync;
    }
  }

  private Watched watch(NodeView view) {
    ResourceID id = ResourceID.fromResource(view.node());
    Watched node =
        watched
            .compute(
                id,
                before ->
                    before == null ? new Watched(id, view.node().getSpec(), clock, steady) : before)
            .orElseThrow();
    Optional<Pod> pod = view.livePod().filter(live -> !PodFacts.isIdle(live) && view.servesRpc());
    Question question;
    Demand demand;
    boolean isFirstBlockWanted;
    synchronized (this) {
      node.observe(pod);
      if (node.isOver()) {
        poller.stop(id);
        return node;
      }
      isFirstBlockWanted = node.wantFirstBlock(view, pod);
      question = node.question;
      demand = node.demand();
    }
    poller.ask(id, question, demand);
    if (isFirstBlockWanted) {
      poller.ask(id, question, FLEET, FOR_FIRST_BLOCK);
    }
    return node;
  }

  /**
   * Returns for how long the reconcile of a node that has just become Ready waits for its first
   * answer, which may be written together with that; not positive if it does not. The answer
   * reconciles the node. A request that is queued behind others is not awaited for longer than one
   * that was sent at once.
   */
  public Duration awaitsFirstAnswer(NodeView view) {
    Watched node = watch(view);
    synchronized (this) {
      Duration left =
          node.wanted == null || node.hasAnswered || node.readySince(view.stored()) != null
              ? Duration.ZERO
              : node.wanted.leftForAnswer(steady.instant());
      node.isAwaited = left.isPositive();
      return left;
    }
  }

  /**
   * Returns the key that the present run of seid signs with; empty until it has answered, and if it
   * signs nothing. Another key reconciles the node.
   */
  public Optional<String> signingKey(NodeView view) {
    Watched node = watch(view);
    synchronized (this) {
      node.isKeyWanted = true;
      return node.answer.flatMap(SyncState::signingKey);
    }
  }

  /** Height with which the present run of a node of a fleet showed that it has caught up. */
  Optional<Long> firstBlock(NodeView view) {
    Watched node = watch(view);
    synchronized (this) {
      return node.firstBlock;
    }
  }

  /** Returns the last answer of a node, if it answers; sends no request. */
  public synchronized Optional<SyncState> last(SeiNode node) {
    return watched.get(ResourceID.fromResource(node)).flatMap(known -> known.sync.last());
  }

  /** The greatest height that another node of its chain and namespace has. */
  private long others(Watched of) {
    return watched
        .values()
        .filter(other -> other != of && other.chainId.equals(of.chainId))
        .filter(other -> other.node.getNamespace().equals(of.node.getNamespace()))
        .flatMap(other -> other.sync.last().stream())
        .mapToLong(SyncState::height)
        .max()
        .orElse(0);
  }

  private synchronized boolean answered(
      ResourceID id, Question question, Answer<SyncState> answer) {
    Optional<Watched> known = watched.get(id);
    if (known.isEmpty() || !known.get().question.equals(question)) {
      return false;
    }
    Watched node = known.get();
    boolean isNews = node.record(answer.value(), others(node));
    if (node.firstBlock.isPresent()) {
      poller.withdraw(id, FLEET);
    }
    if (node.isOver()) {
      poller.stop(id);
    } else {
      poller.ask(id, question, node.demand());
    }
    return isNews;
  }
}
