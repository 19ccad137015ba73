package io.sei.operator.base;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One compartment of a {@link Memory}: a value of each object. Safe for use by many threads.
 *
 * @param <K> what an object is known by
 * @param <V> what is kept of it
 */
public final class Kept<K, V> {

  private final Map<K, V> values = new ConcurrentHashMap<>();
  private final Consumer<V> close;

  Kept(Consumer<V> close) {
    this.close = close;
  }

  /** What is kept of an object. */
  public Optional<V> get(K key) {
    return Optional.ofNullable(values.get(key));
  }

  /** Keeps a value in place of an earlier one. */
  public void put(K key, V value) {
    compute(key, before -> value);
  }

  /**
   * Changes what is kept in one step.
   *
   * @param change from what there is, null if nothing, to what is kept from now on, null for
   *     nothing
   * @return what is kept now
   */
  public Optional<V> compute(K key, UnaryOperator<V> change) {
    return Optional.ofNullable(
        values.compute(
            key,
            (any, before) -> {
              V after = change.apply(before);
              if (before != null && before != after) {
                close.accept(before);
              }
              return after;
            }));
  }

  /** The same, where something is kept: a late change brings no dropped object back. */
  public Optional<V> computeIfPresent(K key, UnaryOperator<V> change) {
    return compute(key, before -> before == null ? null : change.apply(before));
  }

  /** What is kept of all objects. */
  public Stream<V> values() {
    return List.copyOf(values.values()).stream();
  }

  /** Keeps nothing of an object any more. */
  public void remove(K key) {
    compute(key, before -> null);
  }

  /** Keeps nothing of any object any more. */
  public void clear() {
    List.copyOf(values.keySet()).forEach(this::remove);
  }
}
