package io.sei.operator.kube;

import io.fabric8.kubernetes.client.http.HttpRequest;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures how long each watch of the API server has been silent and renews those that stay silent.
 * An API server sends a bookmark about once a minute, so a watch without a message has lost its
 * connection, even if its socket never reports that.
 *
 * <p>A silent watch continues from its last resourceVersion. If the renewed one is silent too, the
 * library is made to list anew: an API server that has seen no change of a kind since it started
 * sends no bookmarks of that kind, and starts to with a list.
 */
public final class WatchMonitor {

  /** Silence after which a watch that was renewed twice fails the liveness probe. */
  private static final Duration DEAF_AFTER = Duration.ofMinutes(5);

  private static final int DEAF_RENEWALS = 2;

  /** The library connects again after 1 s at first and 32 s at last, whatever failed. */
  private static final Duration RECONNECTED = Duration.ofMinutes(1);

  /** Selects one object by its name. */
  private static final String OF_ONE = "fieldSelector=metadata.name%3D";

  /** Parameters that differ between the requests of one watch and the lists it begins with. */
  private static final Set<String> OF_REQUESTS =
      Set.of(
          "allowWatchBookmarks",
          "continue",
          "limit",
          "resourceVersion",
          "resourceVersionMatch",
          "timeoutSeconds",
          "watch");

  private static final Logger log = LoggerFactory.getLogger(WatchMonitor.class);

  /** The connection of a watch, which can be ended towards the library that reads it. */
  interface Connection {

    /** Ends it with an error: the library watches again from the last resourceVersion. */
    void end(String cause);

    /** Ends it as expired: the library lists and watches anew. */
    void expire();
  }

  /** A watch of one informer over all its connections. */
  static final class Watch {

    private final String resources;

    /** Time of the last message or list of its resources; at first, time of the request. */
    private Instant heardAt;

    /** Time of the last message on the present connection. */
    private Instant activeAt;

    /** Silences since then, without those that ended with a refused or failed request. */
    private int renewals;

    /** Null until the library connects again. */
    private Connection connection;

    private Watch(String resources, Instant now) {
      this.resources = resources;
      this.heardAt = now;
    }

    private boolean isLost(String resources) {
      return connection == null && this.resources.equals(resources);
    }
  }

  private final InstantSource clock;
  private final List<Watch> watches = new CopyOnWriteArrayList<>();
  private Instant answeredAt = Instant.MIN;
  private long renewals;

  /**
   * @param clock for ages; never set back or forth
   */
  public WatchMonitor(InstantSource clock) {
    this.clock = clock;
  }

  /** The clock of the ages. */
  InstantSource clock() {
    return clock;
  }

  /** Returns the age of the watch that has been silent for longest. */
  public synchronized Duration age() {
    Instant now = clock.instant();
    return watches.stream()
        .map(watch -> Duration.between(watch.heardAt, now))
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  /** Number of connections that were ended because they were silent. */
  public synchronized long renewals() {
    return renewals;
  }

  /** Watches that stay silent although they were renewed and other requests are answered. */
  public synchronized List<String> deaf() {
    Instant now = clock.instant();
    Instant lastAnswer = answeredAt;
    return watches.stream()
        .filter(watch -> watch.renewals >= DEAF_RENEWALS)
        .filter(watch -> !watch.heardAt.plus(DEAF_AFTER).isAfter(now))
        .filter(watch -> lastAnswer.isAfter(watch.activeAt))
        .map(watch -> watch.resources)
        .sorted()
        .distinct()
        .toList();
  }

  /** Ends the connections that have been silent for this long. */
  public void renewSilent(Duration silence) {
    for (Watch watch : watches) {
      try {
        renewSilent(watch, silence);
      } catch (RuntimeException e) {
        log.error("Cannot renew the watch of {}: {}", watch.resources, e.getMessage(), e);
      }
    }
  }

  /** Renews a silent watch. Called without the lock: the library reacts in this thread. */
  private void renewSilent(Watch watch, Duration silence) {
    Connection connection;
    boolean isFirst;
    synchronized (this) {
      connection = watch.connection;
      if (connection == null) {
        countWithoutConnection(watch, silence);
        return;
      }
      if (watch.activeAt.plus(silence).isAfter(clock.instant())) {
        return;
      }
      isFirst = watch.renewals == 0;
      lose(watch);
      watch.renewals++;
      renewals++;
    }
    log.warn(
        "The watch of {} has been silent for {} s; {}",
        watch.resources,
        silence.toSeconds(),
        isFirst ? "watching again from its last resourceVersion" : "listing anew");
    if (isFirst) {
      connection.end("no event and no bookmark for " + silence.toSeconds() + " s");
    } else {
      connection.expire();
    }
  }

  /**
   * Counts a silence of a watch that the library does not connect again, in which there is nothing
   * to end. Informers of one object are stopped with their nodes, others with the process.
   */
  private void countWithoutConnection(Watch watch, Duration silence) {
    Duration limit = silence.compareTo(RECONNECTED) > 0 ? silence : RECONNECTED;
    if (watch.activeAt.plus(limit).isAfter(clock.instant())) {
      return;
    }
    if (watch.resources.contains(OF_ONE)) {
      watches.remove(watch);
      return;
    }
    watch.activeAt = clock.instant();
    watch.renewals++;
    log.warn("The watch of {} has had no connection for {} s", watch.resources, limit.toSeconds());
  }

  /** A watch is requested, by an informer that may have lost its last connection. */
  synchronized Watch requested(URI uri, Connection connection) {
    String resources = resources(uri);
    Watch watch =
        watches.stream()
            .filter(known -> known.isLost(resources))
            .findFirst()
            .orElseGet(() -> add(resources));
    watch.connection = connection;
    watch.activeAt = clock.instant();
    return watch;
  }

  private Watch add(String resources) {
    var watch = new Watch(resources, clock.instant());
    watches.add(watch);
    return watch;
  }

  /** The API server has accepted a watch. */
  synchronized void accepted(Watch watch, Connection connection) {
    if (watch.connection == connection) {
      watch.activeAt = clock.instant();
    }
  }

  /** An event or a bookmark came. */
  synchronized void heard(Watch watch, Connection connection) {
    if (watch.connection == connection) {
      heard(watch);
    }
  }

  private void heard(Watch watch) {
    watch.activeAt = clock.instant();
    watch.heardAt = watch.activeAt;
    watch.renewals = 0;
  }

  /** A watch was refused, or the API server could not be reached. */
  synchronized void failed(Watch watch, Connection connection) {
    if (watch.connection == connection) {
      watch.renewals = 0;
      lose(watch);
    }
  }

  /** A connection broke; the library is about to connect again. */
  synchronized void lost(Watch watch, Connection connection) {
    if (watch.connection == connection) {
      lose(watch);
    }
  }

  private void lose(Watch watch) {
    watch.connection = null;
    watch.activeAt = clock.instant();
  }

  /** Both sides have closed a connection: its time was over, or its informer was stopped. */
  synchronized void closed(Watch watch, Connection connection) {
    if (watch.connection == connection) {
      watches.remove(watch);
    }
  }

  /** A request is made that may be the list before a watch. */
  synchronized void requested(HttpRequest request) {
    listedBy(request).forEach(watch -> watch.activeAt = clock.instant());
  }

  /** The API server has answered a request that may be the list before a watch. */
  synchronized void answered(HttpRequest request) {
    answeredAt = clock.instant();
    listedBy(request).forEach(this::heard);
  }

  /** Such a request was refused, or the API server could not be reached. */
  synchronized void failed(HttpRequest request) {
    listedBy(request).forEach(watch -> watch.renewals = 0);
  }

  private Stream<Watch> listedBy(HttpRequest request) {
    if (!request.method().equals("GET")) {
      return Stream.empty();
    }
    String resources = resources(request.uri());
    return watches.stream().filter(watch -> watch.isLost(resources));
  }

  /** Returns whether a request is a watch. */
  static boolean isWatch(URI uri) {
    return parameters(uri).anyMatch("watch=true"::equals);
  }

  /** The path and the selectors of a list or a watch. */
  private static String resources(URI uri) {
    String selectors =
        parameters(uri)
            .filter(parameter -> !OF_REQUESTS.contains(parameter.split("=", 2)[0]))
            .sorted()
            .collect(Collectors.joining("&"));
    return selectors.isEmpty() ? uri.getPath() : uri.getPath() + "?" + selectors;
  }

  private static Stream<String> parameters(URI uri) {
    return uri.getRawQuery() == null ? Stream.empty() : Arrays.stream(uri.getRawQuery().split("&"));
  }
}
