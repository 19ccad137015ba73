package io.sei.operator.base;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * All that is kept in memory of the objects of one kind. Whoever keeps something asks for a
 * compartment, so that an object which is gone is dropped from all of them by one call, and nobody
 * has to be remembered to forget it.
 *
 * @param <K> what an object is known by
 */
public final class Memory<K> {

  private final List<Consumer<K>> drops = new CopyOnWriteArrayList<>();
  private final Consumer<K> wake;

  /** A memory in which nothing becomes known but by whoever looks at its object. */
  public Memory() {
    this(key -> {});
  }

  /**
   * @param wake has an object looked at
   */
  public Memory(Consumer<K> wake) {
    this.wake = wake;
  }

  /** Has an object looked at, of which something has become known. */
  public void wake(K key) {
    wake.accept(key);
  }

  /** A place to keep one value of each object. */
  public <V> Kept<K, V> compartment() {
    return compartment(value -> {});
  }

  /**
   * The same, for values that hold something open.
   *
   * @param close ends a value that is replaced or removed
   */
  public <V> Kept<K, V> compartment(Consumer<V> close) {
    var kept = new Kept<K, V>(close);
    onDrop(kept::remove);
    return kept;
  }

  /** Has this called for each object that is gone, for what is not kept object by object. */
  public void onDrop(Consumer<K> drop) {
    drops.add(drop);
  }

  /** Drops all that is kept of an object that is gone. */
  public void drop(K key) {
    drops.forEach(drop -> drop.accept(key));
  }
}
