package io.sei.operator.base;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Polls what no watch reports, away from reconciles, and keeps the last answer for each owner. An
 * owner has one question at a time: the answer to an earlier one is never given, not even if it
 * arrives late. A question therefore carries all that its answer depends on, such as the uid of a
 * pod and the run of its container.
 *
 * <p>Each asker states how often it wants an answer and for how long; the shortest period sets the
 * pace. Another question drops the demands of all askers. A question has at most one request under
 * way. The polls of an owner are up to a tenth earlier than demanded, by a share of its own, so
 * that owners which began together are not polled together. How many requests run at a time, and
 * whose, is up to the executor.
 *
 * @param <K> key of an owner: a node or a chain
 * @param <Q> question
 * @param <V> answer
 */
public final class Poller<K, Q, V> {

  /** A period that does not end. */
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  /** An owner is reconciled every ten minutes, and its demand is stated in each reconcile. */
  public static final Duration RECONCILED = Duration.ofMinutes(15);

  /** Polls due within so many milliseconds begin together: each that is alone wakes threads. */
  private static final int TOGETHER = 250;

  /** Spreads the hashes of similar names (Fibonacci hashing). */
  private static final int SPREAD = 0x9E3779B9;

  /**
   * Demand of an asker.
   *
   * @param period from an answer to the next request
   * @param retry from a failure to the next request
   * @param lasting for how long, unless it is demanded again
   */
  public record Demand(Duration period, Duration retry, Duration lasting) {

    /** One answer, which holds as long as its question. */
    public static Demand once(Duration retry) {
      return new Demand(FOREVER, retry, RECONCILED);
    }

    /** Answers at a pace. */
    public static Demand every(Duration period) {
      return new Demand(period, period, RECONCILED);
    }
  }

  /**
   * Follows the answers.
   *
   * @param <K> key of an owner
   * @param <Q> question
   * @param <V> answer
   */
  @FunctionalInterface
  public interface Listener<K, Q, V> {

    /**
     * Notes an answer, and returns whether its owner is reconciled because of it. The owner may get
     * another question at any moment: a listener that keeps answers compares the question under the
     * lock that guards them.
     */
    boolean isNews(K owner, Q question, Answer<V> answer);
  }

  private record Expiring(Demand demand, Instant end) {}

  /** A question of an owner; guarded by itself. */
  private static final class Polled<Q, V> {
    private final Q question;
    private final Map<Object, Expiring> demands = HashMap.newHashMap(2);
    private Answer<V> answer = new Answer.Unasked<>();
    private Instant answeredAt;

    /** Derives what a pass reads of an answer; unless it is stated, something else of each. */
    private Function<Answer<V>, ?> reading = any -> new Object();

    /** The request that is due or under way; null if none is. */
    private Object next;

    private Instant nextAt;

    Polled(Q question) {
      this.question = question;
    }

    /** Time of the next request; empty if none is due. */
    private Optional<Instant> due(double pace, Instant now) {
      if (answer instanceof Answer.Unasked<V>) {
        return demands.isEmpty() ? Optional.empty() : Optional.of(now);
      }
      return demands.values().stream()
          .filter(expiring -> expiring.end().isAfter(now))
          .map(Expiring::demand)
          .map(demand -> answer instanceof Answer.Known<V> ? demand.period() : demand.retry())
          .filter(pause -> pause.compareTo(FOREVER) < 0)
          .min(Duration::compareTo)
          .map(pause -> answeredAt.plusMillis((long) (pause.toMillis() * pace)))
          .map(at -> at.plusMillis(TOGETHER - 1 - Math.floorMod(at.toEpochMilli() - 1, TOGETHER)));
    }
  }

  private final Polling<K> polling;
  private final PerObjectMap<K, Polled<Q, V>> polled;
  private final Function<Q, ? extends CompletionStage<V>> source;
  private final Listener<K, Q, V> listener;

  /**
   * @param source asks, and may throw or fail
   */
  public Poller(
      Polling<K> polling,
      Function<Q, ? extends CompletionStage<V>> source,
      Listener<K, Q, V> listener) {
    this.polling = polling;
    this.polled = polling.memory().newMap();
    this.source = source;
    this.listener = listener;
  }

  /** Polls with calls that wait for the answer; what a pass reads of it decides on reconciles. */
  public static <K, Q, V> Poller<K, Q, V> waiting(Polling<K> polling, Function<Q, V> source) {
    return new Poller<>(
        polling,
        question -> CompletableFuture.completedFuture(source.apply(question)),
        (owner, question, answer) -> true);
  }

  /** Demands answers to a question, as the only asker, and returns what is known. */
  public Answer<V> ask(K owner, Q question, Demand demand) {
    return ask(owner, question, this, demand);
  }

  /**
   * Demands answers to a question, as the only asker, and returns what a pass reads of the present
   * one. The owner is reconciled only for an answer of which a pass would read something else.
   *
   * @param reading derives all that a pass depends on
   */
  public <R> R read(K owner, Q question, Demand demand, Function<Answer<V>, R> reading) {
    Polled<Q, V> current = current(owner, question);
    synchronized (current) {
      current.reading = reading;
    }
    return reading.apply(ask(owner, question, demand));
  }

  /** Demands answers to a question, and returns what is known. Never waits. */
  public Answer<V> ask(K owner, Q question, Object asker, Demand demand) {
    Polled<Q, V> current = current(owner, question);
    Instant now = polling.clock().instant();
    synchronized (current) {
      current.demands.put(asker, new Expiring(demand, now.plus(demand.lasting())));
      schedule(owner, current, now);
      return current.answer;
    }
  }

  private Polled<Q, V> current(K owner, Q question) {
    return polled
        .compute(
            owner,
            before ->
                before != null && before.question.equals(question)
                    ? before
                    : new Polled<>(question))
        .orElseThrow();
  }

  /** Ends the demand of one of several askers. */
  public void withdraw(K owner, Object asker) {
    polled
        .get(owner)
        .ifPresent(
            current -> {
              synchronized (current) {
                current.demands.remove(asker);
              }
            });
  }

  /** Stops polling about an owner, and forgets what is known. */
  public void stop(K owner) {
    polled.remove(owner);
  }

  private void schedule(K owner, Polled<Q, V> current, Instant now) {
    Optional<Instant> due = current.due(pace(owner), now);
    boolean isSooner =
        current.next == null || due.filter(at -> at.isBefore(current.nextAt)).isPresent();
    if (due.isEmpty() || !isSooner) {
      return;
    }
    var request = new Object();
    current.next = request;
    current.nextAt = due.get();
    Duration delay = Duration.between(now, due.get());
    polling
        .executor()
        .execute(
            owner,
            () -> request(owner, current, request),
            delay.isNegative() ? Duration.ZERO : delay);
  }

  /** Returns a factor from 0.9 to 1, constant for an owner, that spreads polls. */
  private static double pace(Object owner) {
    return 1 - Integer.toUnsignedLong(owner.hashCode() * SPREAD) / (10.0 * (1L << Integer.SIZE));
  }

  private CompletionStage<?> request(K owner, Polled<Q, V> current, Object request) {
    Instant now = polling.clock().instant();
    synchronized (current) {
      if (current.next != request || !isPolled(owner, current)) {
        return CompletableFuture.completedStage(null);
      }
      current.demands.values().removeIf(demand -> !demand.end().isAfter(now));
      if (current.demands.isEmpty()) {
        current.next = null;
        return CompletableFuture.completedStage(null);
      }
      // No demand has an earlier request made.
      current.nextAt = Instant.MIN;
    }
    return ask(current.question).thenAccept(answer -> answered(owner, current, answer));
  }

  private boolean isPolled(K owner, Polled<Q, V> current) {
    return polled.get(owner).filter(present -> present == current).isPresent();
  }

  private CompletionStage<Answer<V>> ask(Q question) {
    CompletionStage<V> asked;
    try {
      asked = source.apply(question);
    } catch (RuntimeException e) {
      return CompletableFuture.completedStage(new Answer.Failed<>(e));
    }
    return asked.handle(
        (known, error) ->
            error == null ? new Answer.Known<>(known) : new Answer.Failed<>(why(error)));
  }

  private static RuntimeException why(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return cause instanceof RuntimeException why ? why : new CompletionException(cause);
  }

  private void answered(K owner, Polled<Q, V> current, Answer<V> answer) {
    if (!isPolled(owner, current)) {
      return;
    }
    boolean isReadAlike;
    synchronized (current) {
      isReadAlike = current.reading.apply(current.answer).equals(current.reading.apply(answer));
      current.answer = answer;
      current.answeredAt = polling.clock().instant();
    }
    try {
      if (listener.isNews(owner, current.question, answer) && !isReadAlike) {
        polling.memory().wake(owner);
      }
    } finally {
      synchronized (current) {
        current.next = null;
        if (isPolled(owner, current)) {
          schedule(owner, current, polling.clock().instant());
        }
      }
    }
  }
}
