package io.sei.operator.base;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Runs tasks away from reconciles, each on behalf of an owner.
 *
 * @param <K> key of an owner
 */
@FunctionalInterface
public interface OwnedExecutor<K> {

  /**
   * Runs a task after a delay.
   *
   * @param task begins a request, and returns the stage that completes when it is over
   */
  void execute(K owner, Supplier<? extends CompletionStage<?>> task, Duration delay);
}
