package io.sei.operator.testkit;

import io.sei.operator.base.OwnedExecutor;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Polling;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Runs the requests of pollers on the test's thread, when the test's clock says that they are due.
 *
 * @param <K> key of an owner
 */
public final class ManualExecutor<K> implements OwnedExecutor<K> {

  private record Due(Supplier<? extends CompletionStage<?>> task, Instant at, Duration delay) {}

  private final List<Due> due = new ArrayList<>();
  private final boolean isEager;
  private Instant now;
  private Runnable onNextInstant = () -> {};

  private ManualExecutor(Instant now, boolean isEager) {
    this.now = now;
    this.isEager = isEager;
  }

  /** Runs what is due at once, without being asked to. */
  public static <K> ManualExecutor<K> eager(Instant now) {
    return new ManualExecutor<>(now, true);
  }

  /** Runs nothing before the test asks for it. */
  public static <K> ManualExecutor<K> lazy(Instant now) {
    return new ManualExecutor<>(now, false);
  }

  /** Pollers that run here. */
  public Polling<K> polling(PerObjectState<K> memory) {
    return new Polling<>(memory, this, clock());
  }

  /** The test's clock. */
  public Clock clock() {
    return ((InstantSource) this::instant).withZone(ZoneOffset.UTC);
  }

  private Instant instant() {
    Runnable first = onNextInstant;
    onNextInstant = () -> {};
    first.run();
    return now;
  }

  /** Plays another thread that comes between two steps, where a poller next reads the clock. */
  public void onNextInstant(Runnable meanwhile) {
    onNextInstant = meanwhile;
  }

  @Override
  public void execute(K owner, Supplier<? extends CompletionStage<?>> task, Duration delay) {
    if (isEager && delay.isZero()) {
      task.get();
    } else {
      due.add(new Due(task, now.plus(delay), delay));
    }
  }

  /** Number of requests that are due now. */
  public long due() {
    return due.stream().filter(task -> !task.at().isAfter(now)).count();
  }

  /** Delays of the requests that are to come. */
  public List<Duration> delays() {
    return due.stream().map(Due::delay).toList();
  }

  /** Advances the clock to the next request, runs it, and returns the delay that it had. */
  public Duration runNext() {
    Due next = next(Instant.MAX).orElseThrow();
    run(next);
    return next.delay();
  }

  /** Runs what is due now, and what becomes due at once by that. */
  public void run() {
    runUntil(now);
  }

  /** Advances the clock, and runs each request at its time. */
  public void advance(Duration time) {
    runUntil(now.plus(time));
  }

  private void runUntil(Instant end) {
    Optional<Due> next = next(end);
    while (next.isPresent()) {
      run(next.get());
      next = next(end);
    }
    now = end;
  }

  private void run(Due next) {
    due.remove(next);
    now = next.at().isAfter(now) ? next.at() : now;
    next.task().get();
  }

  private Optional<Due> next(Instant end) {
    return due.stream().filter(task -> !task.at().isAfter(end)).min(Comparator.comparing(Due::at));
  }
}
