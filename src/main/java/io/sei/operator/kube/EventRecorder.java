package io.sei.operator.kube;

import static io.sei.operator.kube.ApiErrors.isConflict;
import static io.sei.operator.kube.ApiErrors.isNotFound;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.base.Text;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/**
 * Records core/v1 Events about resources, in the background. An Event is a courtesy: recording one
 * never blocks, never throws, and is given up where the API server is too slow, does not want it,
 * or has not answered five times.
 *
 * <p>What repeats within ten minutes counts up the Event there is. Each occurrence is a line of the
 * log as well: the API server forgets Events after an hour.
 */
public final class EventRecorder implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);

  private static final String WARNING = "Warning";

  /** Logger of Events: log collectors find the history of nodes and fleets by its name. */
  private static final Logger happenings = LoggerFactory.getLogger("io.sei.operator.Event");

  /**
   * A thousand nodes may start at once, and each tells of four things: with room for a thousand
   * Events {@code make bench NODES=1000} lost half of them. What waits takes less than a kilobyte
   * each; beyond that, older news matters more.
   */
  private static final int QUEUE_CAPACITY = 5000;

  /** The API server refuses longer messages. */
  private static final int MAX_MESSAGE = 1024;

  /** The longest name an Event may have, less a dot and 16 hexadecimal digits. */
  private static final int MAX_NAME_PREFIX = 253 - 17;

  /**
   * Time after its last occurrence during which an Event is counted up rather than created again.
   */
  private static final Duration SERIES = Duration.ofMinutes(10);

  /** Number of remembered Events, as in client-go. */
  private static final int MAX_REMEMBERED = 4096;

  /**
   * Number of attempts to send an Event to an API server that does not answer; each takes seconds.
   */
  private static final int ATTEMPTS = 5;

  /** Time for which the shutdown of the operator waits for Events. */
  static final Duration FLUSH = Duration.ofSeconds(2);

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  /** Key by which occurrences are counted as one Event. */
  private record Key(String uid, String type, String reason, String message) {
    static Key of(Event event) {
      return new Key(
          event.getInvolvedObject().getUid(),
          event.getType(),
          event.getReason(),
          event.getMessage());
    }
  }

  /** Part of an Event that is kept to count it up; the Event itself takes ten times as much. */
  private record Series(String namespace, String name, int count, Instant last) {
    static Series of(Event event) {
      return new Series(
          event.getMetadata().getNamespace(),
          event.getMetadata().getName(),
          event.getCount(),
          Instant.parse(event.getLastTimestamp()));
    }

    boolean goesOnWith(Event event) {
      return last.plus(SERIES).isAfter(Instant.parse(event.getLastTimestamp()));
    }

    Event named() {
      return new EventBuilder()
          .withNewMetadata()
          .withNamespace(namespace)
          .withName(name)
          .endMetadata()
          .build();
    }
  }

  /** The Events recorded of late; touched by the worker alone. */
  private static final class Recent extends LinkedHashMap<Key, Series> {
    private static final long serialVersionUID = 1L;

    Recent() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Key, Series> eldest) {
      return size() > MAX_REMEMBERED;
    }
  }

  private final KubernetesClient client;
  private final String component;
  private final String instance;
  private final Clock clock;
  private final Duration flush;
  private final Recent recent = new Recent();
  private final AtomicInteger dropped = new AtomicInteger();
  private final ThreadPoolExecutor worker;
  private OptionalInt lastRefusal = OptionalInt.empty();

  /**
   * @param client used by the recorder's own thread; not closed here
   * @param component who records, such as {@code seinode-controller}
   * @param instance which process of that: its host name
   */
  public EventRecorder(KubernetesClient client, String component, String instance) {
    this(client, component, instance, Clock.systemUTC(), QUEUE_CAPACITY, FLUSH);
  }

  EventRecorder(
      KubernetesClient client,
      String component,
      String instance,
      Clock clock,
      int capacity,
      Duration flush) {
    this.client = client;
    this.component = component;
    this.instance = instance;
    this.clock = clock;
    this.flush = flush;
    this.worker =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(capacity),
            Thread.ofPlatform().daemon().name("events-" + component).factory(),
            (task, pool) -> dropped.incrementAndGet());
  }

  /**
   * Says that something happened to a resource.
   *
   * @param regarding the resource; what it is called now is kept, the object itself is not
   * @param happened its message is cut to 1024 characters
   */
  public void record(HasMetadata regarding, ObjectEvent happened) {
    var event = event(regarding, happened);
    log(event);
    worker.execute(() -> deliver(event, 1));
  }

  /** Logs an Event with fields that a log query can select. */
  private static void log(Event event) {
    ObjectReference regarding = event.getInvolvedObject();
    try (var kind = MDC.putCloseable("event.kind", regarding.getKind());
        var namespace = MDC.putCloseable("event.namespace", regarding.getNamespace());
        var name = MDC.putCloseable("event.name", regarding.getName());
        var reason = MDC.putCloseable("event.reason", event.getReason())) {
      happenings
          .atLevel(event.getType().equals(WARNING) ? Level.WARN : Level.INFO)
          .log(
              "{} {}: {}: {}",
              regarding.getKind(),
              regarding.getName(),
              event.getReason(),
              event.getMessage());
    }
  }

  /** Waits two seconds at most for what is recorded already; later Events are dropped. */
  @Override
  public void close() {
    worker.shutdown();
    try {
      worker.awaitTermination(flush.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    worker.shutdownNow();
  }

  private void deliver(Event event, int attempt) {
    try {
      publish(event);
      lastRefusal = OptionalInt.empty();
    } catch (KubernetesClientException e) {
      if (e.getStatus() == null && attempt < ATTEMPTS && !worker.isShutdown()) {
        worker.execute(() -> deliver(event, attempt + 1));
      } else {
        refused(event, e);
      }
    } catch (RuntimeException e) {
      log.warn("Cannot record event {}", event.getReason(), e);
    }
    int lost = dropped.getAndSet(0);
    if (lost > 0) {
      log.warn("Dropped {} events: the API server is too slow", lost);
    }
  }

  /** A missing permission or a namespace going away refuses every Event: saying so once will do. */
  private void refused(Event event, KubernetesClientException e) {
    if (lastRefusal.equals(OptionalInt.of(e.getCode())) || Thread.currentThread().isInterrupted()) {
      log.debug("Cannot record event {}", event.getReason(), e);
      return;
    }
    lastRefusal = OptionalInt.of(e.getCode());
    log.warn(
        "Cannot record event {} on {} {}/{}: {}",
        event.getReason(),
        event.getInvolvedObject().getKind(),
        event.getInvolvedObject().getNamespace(),
        event.getInvolvedObject().getName(),
        e.getStatus() == null ? e.getCause() : e.getCode() + " " + Refusal.words(e));
  }

  private void publish(Event event) {
    var key = Key.of(event);
    Series earlier = recent.get(key);
    if (earlier != null && earlier.goesOnWith(event) && countUp(key, earlier, event)) {
      return;
    }
    recent.put(key, Series.of(create(event)));
  }

  /** The client repeats a request whose response is lost: the Event may be there already. */
  private Event create(Event event) {
    try {
      return client.v1().events().resource(event).create();
    } catch (KubernetesClientException e) {
      if (isConflict(e)) {
        return event;
      }
      throw e;
    }
  }

  /** False if the Event has expired or was deleted. */
  private boolean countUp(Key key, Series earlier, Event event) {
    var patch =
        "{\"count\":%d,\"lastTimestamp\":\"%s\"}"
            .formatted(earlier.count() + 1, event.getLastTimestamp());
    try {
      // By object, not by name: patching by name would first read what there is.
      recent.put(key, Series.of(client.resource(earlier.named()).patch(MERGE, patch)));
      return true;
    } catch (KubernetesClientException e) {
      if (isNotFound(e)) {
        return false;
      }
      throw e;
    }
  }

  private Event event(HasMetadata regarding, ObjectEvent happened) {
    var meta = regarding.getMetadata();
    var suffix = "%016x".formatted(ThreadLocalRandom.current().nextLong());
    // Kubernetes times have no fraction of a second.
    var at = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    return new EventBuilder()
        .withNewMetadata()
        .withNamespace(meta.getNamespace() == null ? "default" : meta.getNamespace())
        .withName(Text.cut(meta.getName(), MAX_NAME_PREFIX) + "." + suffix)
        .endMetadata()
        .withNewInvolvedObject()
        .withApiVersion(regarding.getApiVersion())
        .withKind(regarding.getKind())
        .withNamespace(meta.getNamespace())
        .withName(meta.getName())
        .withUid(meta.getUid())
        .withResourceVersion(meta.getResourceVersion())
        .endInvolvedObject()
        .withType(happened.warning() ? WARNING : "Normal")
        .withReason(happened.reason())
        .withMessage(Text.cut(happened.message(), MAX_MESSAGE))
        .withCount(1)
        .withFirstTimestamp(at)
        .withLastTimestamp(at)
        .withNewSource()
        .withComponent(component)
        .endSource()
        .withReportingComponent(component)
        .withReportingInstance(instance)
        .build();
  }
}
