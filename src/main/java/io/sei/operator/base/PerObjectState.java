package io.sei.operator.base;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Values in memory by object of one kind. A feature keeps its values in a map of its own ({@link
 * #newMap()}); when an object is deleted, one call removes it from all maps.
 *
 * @param <K> key of an object
 */
public final class PerObjectState<K> {

  private final List<Consumer<K>> drops = new CopyOnWriteArrayList<>();
  private final Consumer<K> wake;

  /** State whose changes request no reconcile. */
  public PerObjectState() {
    this(key -> {});
  }

  /**
   * @param wake requests a reconcile of an object
   */
  public PerObjectState(Consumer<K> wake) {
    this.wake = wake;
  }

  /** Requests a reconcile of an object about which something new is known. */
  public void wake(K key) {
    wake.accept(key);
  }

  /** Adds a map with one value for each object. */
  public <V> PerObjectMap<K, V> newMap() {
    return newMap(value -> {});
  }

  /**
   * Adds a map of values that hold a resource open.
   *
   * @param close closes a value that is replaced or removed
   */
  public <V> PerObjectMap<K, V> newMap(Consumer<V> close) {
    var kept = new PerObjectMap<K, V>(close);
    onDrop(kept::remove);
    return kept;
  }

  /** Adds a callback for each object that is deleted, for state that is not kept in a map. */
  public void onDrop(Consumer<K> drop) {
    drops.add(drop);
  }

  /**
   * Removes the values of a deleted object from all maps, also if a callback fails.
   *
   * @throws RuntimeException the first failure; later ones are suppressed in it
   */
  public void drop(K key) {
    RuntimeException failure = null;
    for (Consumer<K> drop : drops) {
      try {
        drop.accept(key);
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
