package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Watchable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Lifetimes of the objects of a kind since it began to watch, by the API server's order and not by
 * a clock: a resourceVersion is the revision of the whole store, so it orders events of objects of
 * different kinds.
 */
public final class Lifetimes<T extends HasMetadata> implements AutoCloseable {

  /**
   * One object.
   *
   * @param last the object as it was last seen
   * @param from the revision that made it
   * @param to the revision that removed it; the largest number while it exists
   */
  public record Life<T>(T last, long from, long to) {

    /** Returns whether there was a moment at which both existed. */
    public boolean overlaps(Life<?> other) {
      return from < other.to() && other.from() < to;
    }
  }

  private final Map<String, Life<T>> lives = new ConcurrentHashMap<>();
  private final Watch watch;

  private Lifetimes(Watchable<T> objects, Predicate<T> filter) {
    watch =
        objects.watch(
            new Watcher<>() {
              @Override
              public void eventReceived(Action action, T object) {
                if (filter.test(object)) {
                  seen(action, object);
                }
              }

              @Override
              public void onClose(WatcherException cause) {}
            });
  }

  /** Watches these objects, of which those that match are recorded. */
  public static <T extends HasMetadata> Lifetimes<T> of(Watchable<T> objects, Predicate<T> filter) {
    return new Lifetimes<>(objects, filter);
  }

  private void seen(Watcher.Action action, T object) {
    long revision = Long.parseLong(object.getMetadata().getResourceVersion());
    lives.merge(
        object.getMetadata().getUid(),
        new Life<>(object, revision, Long.MAX_VALUE),
        (before, now) -> new Life<>(object, before.from(), Long.MAX_VALUE));
    if (action == Watcher.Action.DELETED) {
      lives.computeIfPresent(
          object.getMetadata().getUid(), (uid, life) -> new Life<>(object, life.from(), revision));
    }
  }

  /** All of them, oldest first. */
  public List<Life<T>> all() {
    return lives.values().stream()
        .sorted((one, other) -> Long.compare(one.from(), other.from()))
        .toList();
  }

  @Override
  public void close() {
    watch.close();
  }
}
