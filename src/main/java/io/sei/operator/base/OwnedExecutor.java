package io.sei.operator.base;

/**
 * Runs tasks away from reconciles, each on behalf of an owner.
 *
 * @param <K> what an owner is known by
 */
@FunctionalInterface
public interface OwnedExecutor<K> {

  /** Runs a task, now or later. */
  void execute(K owner, Runnable task);
}
