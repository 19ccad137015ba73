package io.sei.operator.base;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Map of a {@link PerObjectState}: one value for each object. Safe for use by many threads.
 *
 * @param <K> key of an object
 * @param <V> value
 */
public final class PerObjectMap<K, V> {

  private final Map<K, V> values = new ConcurrentHashMap<>();
  private final Consumer<V> close;

  PerObjectMap(Consumer<V> close) {
    this.close = close;
  }

  /** Value of an object. */
  public Optional<V> get(K key) {
    return Optional.ofNullable(values.get(key));
  }

  /** Sets the value of an object. */
  public void put(K key, V value) {
    compute(key, before -> value);
  }

  /**
   * Changes the value of an object atomically, and closes the earlier one afterwards: a failure to
   * close it does not undo the change.
   *
   * @param change from the present value, null if none, to the new one, null to remove it
   * @return the new value
   */
  public Optional<V> compute(K key, UnaryOperator<V> change) {
    var replaced = new AtomicReference<V>();
    V result =
        values.compute(
            key,
            (any, before) -> {
              V after = change.apply(before);
              replaced.set(before == after ? null : before);
              return after;
            });
    if (replaced.get() != null) {
      close.accept(replaced.get());
    }
    return Optional.ofNullable(result);
  }

  /** Changes the value of an object that has one: a late change restores no dropped object. */
  public Optional<V> computeIfPresent(K key, UnaryOperator<V> change) {
    return compute(key, before -> before == null ? null : change.apply(before));
  }

  /** Values of all objects. */
  public Stream<V> values() {
    return List.copyOf(values.values()).stream();
  }

  /** Removes the value of an object. */
  public void remove(K key) {
    compute(key, before -> null);
  }

  /** Removes all values. */
  public void clear() {
    List.copyOf(values.keySet()).forEach(this::remove);
  }
}
