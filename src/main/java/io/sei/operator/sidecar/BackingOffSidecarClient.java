package io.sei.operator.sidecar;

import com.fasterxml.jackson.databind.JsonNode;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.ReconcileThreads;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Keeps a sidecar that does not answer in time from delaying the nodes of others. A reconcile waits
 * for one timeout; from then on its reads are repeated in the background, with pauses that grow to
 * ten seconds, until the sidecar answers. The answer triggers a reconcile of the node, whose equal
 * read returns it. An answer for another pod, container or plan is dropped, and these are asked
 * without a pause. A write is sent by the reconcile that decided on it, which waits for it, and
 * never later.
 */
public final class BackingOffSidecarClient implements SidecarClient {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** Repeating ends after this time without a reconcile; a waiting node reads every half minute. */
  private static final Duration UNWANTED = Duration.ofMinutes(2);

  /** Time in which the reconcile that an answer triggers has to read it. */
  private static final Duration FRESH = Duration.ofSeconds(30);

  /** A sidecar that did not answer in time; guarded by the client. */
  private static final class Slow {

    private final SidecarException error;
    private int timeouts;
    private Read<?> read;
    private Outcome answer;
    private Duration unwanted = Duration.ZERO;

    Slow(SidecarException error, int timeouts, Read<?> read) {
      this.error = error;
      this.timeouts = timeouts;
      this.read = read;
    }

    Duration pause() {
      Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(timeouts - 1, 4));
      return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }
  }

  private enum Question {
    TASK,
    STATUSES,
    TYPE,
    HEALTH
  }

  /**
   * A request that changes nothing.
   *
   * @param about the task or type that it is about
   */
  private record Read<V>(Question question, String about, Supplier<V> request) {

    boolean asksTheSameAs(Read<?> other) {
      return question == other.question() && about.equals(other.about());
    }
  }

  /** The outcome of a read: a value, or an error if there is one. */
  private record Outcome(Read<?> read, Object value, RuntimeException error) {}

  private final SidecarClient sidecars;
  private final Consumer<ResourceID> wake;
  private final Executor readers;
  private final ScheduledExecutorService timer;
  private final Map<SidecarAddress, Slow> slow = new HashMap<>();

  /**
   * @param sidecars sends the requests and waits for the answers
   * @param wake triggers a reconcile of a node whose sidecar has answered
   * @param readers runs the reads that no reconcile waits for
   * @param timer schedules repeated reads; shut down by its owner
   */
  public BackingOffSidecarClient(
      SidecarClient sidecars,
      Consumer<ResourceID> wake,
      Executor readers,
      ScheduledExecutorService timer) {
    this.sidecars = sidecars;
    this.wake = wake;
    this.readers = readers;
    this.timer = timer;
  }

  @Override
  public Optional<SidecarTask> lookup(SidecarAddress sidecar, String taskId) {
    return read(lookupOf(sidecar, taskId), sidecar);
  }

  private Read<Optional<SidecarTask>> lookupOf(SidecarAddress sidecar, String taskId) {
    return new Read<>(Question.TASK, taskId, () -> sidecars.lookup(sidecar, taskId));
  }

  @Override
  public Set<SidecarTask.Status> statuses(SidecarAddress sidecar, String type) {
    return read(
        new Read<>(Question.STATUSES, type, () -> sidecars.statuses(sidecar, type)), sidecar);
  }

  @Override
  public boolean knows(SidecarAddress sidecar, String type) {
    return read(new Read<>(Question.TYPE, type, () -> sidecars.knows(sidecar, type)), sidecar);
  }

  @Override
  public SidecarHealth health(SidecarAddress sidecar) {
    try {
      return read(new Read<>(Question.HEALTH, "", () -> answeredHealth(sidecar)), sidecar);
    } catch (SidecarException e) {
      return SidecarHealth.UNREACHABLE;
    }
  }

  /** Fails without an answer, as every other read does. */
  private SidecarHealth answeredHealth(SidecarAddress sidecar) {
    SidecarHealth health = sidecars.health(sidecar);
    if (health == SidecarHealth.UNREACHABLE) {
      throw new SidecarException(
          SidecarException.Kind.UNREACHABLE, "unanswered", new TimeoutException());
    }
    return health;
  }

  @Override
  public void submit(SidecarAddress sidecar, String taskId, String type, JsonNode params) {
    write(
        sidecar,
        taskId,
        () -> {
          sidecars.submit(sidecar, taskId, type, params);
          return true;
        });
  }

  @Override
  public boolean cancel(SidecarAddress sidecar, String taskId) {
    return write(sidecar, taskId, () -> sidecars.cancel(sidecar, taskId));
  }

  @Override
  public CompletableFuture<SidecarHealth> healthAsync(SidecarAddress sidecar) {
    return sidecars.healthAsync(sidecar);
  }

  @Override
  public CompletableFuture<Optional<String>> nodeIdAsync(SidecarAddress sidecar) {
    return sidecars.nodeIdAsync(sidecar);
  }

  /** Number of sidecars that have not answered since a request timed out. */
  public synchronized long slow() {
    return slow.values().stream().filter(candidate -> candidate.answer == null).count();
  }

  private <V> V read(Read<V> read, SidecarAddress sidecar) {
    Optional<Outcome> known = takeAnswer(sidecar, read);
    if (known.isPresent()) {
      return valueOf(known.get());
    }
    try {
      return ReconcileThreads.onNetwork(read.request());
    } catch (SidecarException e) {
      throw e.isTimeout() ? backOff(sidecar, new Slow(e, 1, read)) : e;
    }
  }

  /**
   * Takes the answer that was read aside; empty if the sidecar has to be asked now.
   *
   * @throws SidecarException if the sidecar has still to answer
   */
  private synchronized Optional<Outcome> takeAnswer(SidecarAddress sidecar, Read<?> read) {
    Slow of = slow.get(sidecar);
    if (of == null) {
      return Optional.empty();
    }
    if (of.answer == null) {
      of.read = read;
      of.unwanted = Duration.ZERO;
      throw of.error.repeated();
    }
    slow.remove(sidecar);
    return Optional.of(of.answer).filter(outcome -> outcome.read().asksTheSameAs(read));
  }

  /** Casts safely: an outcome is returned for an equal question only, whose type it has. */
  @SuppressWarnings("unchecked")
  private static <V> V valueOf(Outcome outcome) {
    if (outcome.error() != null) {
      throw outcome.error();
    }
    return (V) outcome.value();
  }

  private synchronized SidecarException backOff(SidecarAddress sidecar, Slow of) {
    slow.put(sidecar, of);
    readLater(sidecar, of);
    return of.error.repeated();
  }

  private void readLater(SidecarAddress sidecar, Slow of) {
    Duration pause = of.pause();
    of.unwanted = of.unwanted.plus(pause);
    later(pause, () -> readers.execute(() -> readAside(sidecar, of)));
  }

  private void readAside(SidecarAddress sidecar, Slow of) {
    Optional<Read<?>> wanted = wantedRead(sidecar, of);
    if (wanted.isPresent() && keepAnswer(sidecar, of, outcome(wanted.get()))) {
      wake.accept(new ResourceID(sidecar.nodeName(), sidecar.namespace()));
    }
  }

  /** The read to repeat; empty if a reconcile has replaced it, or none has read for a while. */
  private synchronized Optional<Read<?>> wantedRead(SidecarAddress sidecar, Slow of) {
    if (slow.get(sidecar) != of) {
      return Optional.empty();
    }
    if (of.unwanted.compareTo(UNWANTED) > 0) {
      slow.remove(sidecar);
      return Optional.empty();
    }
    return Optional.of(of.read);
  }

  /** Keeps the answer for the next reconcile, or reads again after one more timeout. */
  private synchronized boolean keepAnswer(SidecarAddress sidecar, Slow of, Outcome outcome) {
    if (slow.get(sidecar) != of) {
      return false;
    }
    if (outcome.error() instanceof SidecarException e && e.isTimeout()) {
      of.timeouts++;
      readLater(sidecar, of);
      return false;
    }
    of.answer = outcome;
    later(FRESH, () -> forget(sidecar, of));
    return true;
  }

  private static Outcome outcome(Read<?> read) {
    try {
      return new Outcome(read, read.request().get(), null);
    } catch (RuntimeException e) {
      return new Outcome(read, null, e);
    }
  }

  private synchronized void forget(SidecarAddress sidecar, Slow of) {
    slow.remove(sidecar, of);
  }

  /**
   * Sends what changes a task. What was read before is not true after it; whether a request that
   * was not answered has arrived is read aside.
   */
  private <V> V write(SidecarAddress sidecar, String taskId, Supplier<V> request) {
    int timeouts = endReads(sidecar);
    try {
      return timeouts == 0
          ? ReconcileThreads.onNetwork(request)
          : ReconcileThreads.onNetworkOutside(request);
    } catch (SidecarException e) {
      throw e.isTimeout()
          ? backOff(sidecar, new Slow(e, timeouts + 1, lookupOf(sidecar, taskId)))
          : e;
    }
  }

  /** Ends a read; returns the number of consecutive requests that the sidecar left unanswered. */
  private synchronized int endReads(SidecarAddress sidecar) {
    Slow of = slow.remove(sidecar);
    return of == null || of.answer != null ? 0 : of.timeouts;
  }

  private void later(Duration delay, Runnable task) {
    if (!timer.isShutdown()) {
      timer.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
    }
  }
}
