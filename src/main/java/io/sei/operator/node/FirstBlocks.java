package io.sei.operator.node;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainClient;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.node.model.NodeView;
import io.sei.operator.render.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Asks a node of a fleet that has just become Ready, away from the reconciles, whether it has
 * caught up: seid calls itself ready until a peer has told it how far the chain is. It has once its
 * RPC says so, with a block that is newer than this run of seid and above what the node had before.
 * It is asked every second, for half a minute; by then its fleet goes by the time alone.
 */
public final class FirstBlocks {

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final int TIMES = 30;

  /** For how long a node is asked that was Ready before this process knew it. */
  private static final Duration LATEST = PAUSE.multipliedBy(TIMES);

  /** What one run of seid is asked. */
  private static final class Question {
    private final String run;
    private final Instant began;
    private final long above;
    private final NodeRpc rpc;
    private final String chainId;
    private int asked;
    private boolean isAwaited;
    private Optional<Long> height = Optional.empty();

    Question(String run, Instant began, NodeView view) {
      var meta = view.node().getMetadata();
      this.run = run;
      this.began = began;
      this.above = Optional.ofNullable(view.stored().seid()).map(SeidRun::height).orElse(0L);
      this.rpc =
          new NodeRpc(
              meta.getNamespace(), meta.getName(), view.livePod().flatMap(PodFacts::address));
      this.chainId = view.node().getSpec().chainId();
    }

    boolean isAnsweredBy(ChainHead head) {
      return head.time().isAfter(began) && head.height() > above;
    }
  }

  private final ChainClient client;
  private final PerObjectState<ResourceID> memory;
  private final ScheduledExecutorService scheduler;
  private final PerObjectMap<ResourceID, Question> questions;

  /**
   * @param scheduler asks; shut down by its owner
   */
  public FirstBlocks(
      ChainClient client, PerObjectState<ResourceID> memory, ScheduledExecutorService scheduler) {
    this.client = client;
    this.questions = memory.newMap();
    this.memory = memory;
    this.scheduler = scheduler;
  }

  /**
   * Whether a node that is Ready, and has yet to say so, is better looked at again in a moment: its
   * first answer may still come, and is then written together with that.
   *
   * @return whether it is; the answer wakes the node, and it comes within {@link ChainClient#LIMIT}
   */
  boolean awaitsFirst(NodePass pass) {
    return look(pass.view())
        .filter(question -> readySince(pass.view()).isEmpty())
        .filter(this::isToBeAwaited)
        .isPresent();
  }

  private synchronized boolean isToBeAwaited(Question question) {
    question.isAwaited = question.asked == 0;
    return question.isAwaited;
  }

  /** Tells a reconcile what is known, and begins to find out what is not. */
  void look(NodePass pass) {
    look(pass.view()).ifPresent(question -> tell(question, pass));
  }

  private synchronized void tell(Question question, NodePass pass) {
    question.height.ifPresent(pass::caughtUpAt);
  }

  private synchronized Optional<Question> look(NodeView view) {
    ResourceID node = ResourceID.fromResource(view.node());
    Optional<SeidState> seid = view.livePod().filter(PodFacts::isReady).map(SeidState::of);
    Optional<String> run = seid.flatMap(SeidState::running);
    Optional<Instant> began = seid.flatMap(SeidState::runningSince);
    if (run.isEmpty() || began.isEmpty()) {
      questions.remove(node);
      return Optional.empty();
    }
    Optional<Question> known = questions.get(node).filter(it -> it.run.equals(run.get()));
    if (known.isPresent()) {
      return known;
    }
    if (!isToBeAsked(view)) {
      questions.remove(node);
      return Optional.empty();
    }
    var question = new Question(run.get(), began.get(), view);
    questions.put(node, question);
    scheduler.execute(() -> ask(node, question));
    return Optional.of(question);
  }

  private boolean isToBeAsked(NodeView view) {
    return Labels.of(view.node(), Labels.NODE_DEPLOYMENT).isPresent()
        && view.servesRpc()
        && !scheduler.isShutdown()
        && readySince(view).filter(since -> since.plus(LATEST).isBefore(view.now())).isEmpty();
  }

  /** Since when the node has been reported Ready; empty if it has not. */
  private static Optional<Instant> readySince(NodeView view) {
    return Optional.ofNullable(view.stored().readySince());
  }

  /** Asks a node that goes no longer. */
  void end(ResourceID node) {
    questions.remove(node);
  }

  private void ask(ResourceID node, Question question) {
    if (questions.get(node).filter(it -> it == question).isPresent()) {
      client
          .ask(question.rpc, question.chainId)
          .whenComplete((answer, error) -> answered(node, question, answer));
    }
  }

  /**
   * @param answer null if there is none that can be used
   */
  private void answered(ResourceID node, Question question, ChainAnswer answer) {
    boolean news;
    synchronized (this) {
      question.asked++;
      question.height =
          Optional.ofNullable(answer)
              .map(ChainAnswer::head)
              .filter(question::isAnsweredBy)
              .map(ChainHead::height);
      news = question.isAwaited || question.height.isPresent();
      question.isAwaited = false;
      if (question.height.isEmpty() && question.asked < TIMES && !scheduler.isShutdown()) {
        scheduler.schedule(() -> ask(node, question), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
    if (news) {
      memory.wake(node);
    }
  }
}
