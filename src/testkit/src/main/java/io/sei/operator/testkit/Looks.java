package io.sei.operator.testkit;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.awaitility.core.ThrowingRunnable;

/**
 * Reads of a control plane by tests. While it waits it reads what watches have cached, which costs
 * the API server nothing, and believes only what is live, of which it reads each object once.
 */
public final class Looks {

  private static final Duration LONGEST_WITHOUT_LIVE_LOOK = Duration.ofSeconds(5);

  /** Source of the reads of an assertion that waits, at this moment; null outside of one. */
  private static final ThreadLocal<Look> CURRENT = new ThreadLocal<>();

  /** One look of an assertion that waits. */
  private interface Look {

    <T extends HasMetadata> T get(ControlPlane plane, Class<T> type, String namespace, String name);

    <T extends HasMetadata> List<T> list(ControlPlane plane, Class<T> type, String namespace);
  }

  private Looks() {}

  /**
   * Waits until the assertion holds by what is live, which is looked at once the caches say so, and
   * every few seconds. Exceptions count as not yet, because a replaced object is absent for a
   * moment.
   */
  public static void eventually(Duration atMost, ThrowingRunnable assertion) {
    var lastLive = new AtomicLong(System.nanoTime());
    await()
        .atMost(atMost)
        .pollInterval(Looks::pause)
        .pollDelay(Duration.ZERO)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              // What a cache lacks is no proof either: its index has been seen to miss an object.
              if (System.nanoTime() - lastLive.get() < LONGEST_WITHOUT_LIVE_LOOK.toNanos()) {
                by(new Cached(), assertion);
              }
              lastLive.set(System.nanoTime());
              now(assertion);
            });
  }

  /** Runs the assertion by what is live, of which it reads each object once. */
  public static void now(ThrowingRunnable assertion) throws Throwable {
    by(new Live(), assertion);
  }

  /** The object, or null. */
  public static <T extends HasMetadata> T get(
      ControlPlane plane, Class<T> type, String namespace, String name) {
    return current().get(plane, type, namespace, name);
  }

  /** All objects of the namespace, by name. */
  public static <T extends HasMetadata> List<T> list(
      ControlPlane plane, Class<T> type, String namespace) {
    return current().list(plane, type, namespace);
  }

  private static Look current() {
    Look look = CURRENT.get();
    return look == null ? new Live() : look;
  }

  private static void by(Look look, ThrowingRunnable assertion) throws Throwable {
    CURRENT.set(look);
    try {
      assertion.run();
    } finally {
      CURRENT.remove();
    }
  }

  /**
   * Returns a longer pause after a read that takes longer than a second, since reads are work as
   * well.
   */
  private static Duration pause(int looks, Duration before) {
    return Duration.ofMillis(looks < 25 ? 40 : 100);
  }

  /** Reads the caches that watches fill. */
  private static final class Cached implements Look {

    @Override
    public <T extends HasMetadata> T get(
        ControlPlane plane, Class<T> type, String namespace, String name) {
      return plane.cache().get(type, namespace, name);
    }

    @Override
    public <T extends HasMetadata> List<T> list(
        ControlPlane plane, Class<T> type, String namespace) {
      return plane.cache().list(type, namespace);
    }
  }

  /** Reads live, at the first use. */
  private static final class Live implements Look {

    private record Read(Class<?> type, String namespace, String name) {}

    private final Map<Read, Object> answers = new HashMap<>();

    @Override
    public <T extends HasMetadata> T get(
        ControlPlane plane, Class<T> type, String namespace, String name) {
      return once(
          new Read(type, namespace, name),
          () -> plane.client().resources(type).inNamespace(namespace).withName(name).get());
    }

    @Override
    public <T extends HasMetadata> List<T> list(
        ControlPlane plane, Class<T> type, String namespace) {
      return once(
          new Read(type, namespace, null),
          () -> plane.client().resources(type).inNamespace(namespace).list().getItems());
    }

    @SuppressWarnings("unchecked")
    private <T> T once(Read read, Supplier<T> answer) {
      if (!answers.containsKey(read)) {
        answers.put(read, answer.get());
      }
      return (T) answers.get(read);
    }
  }
}
