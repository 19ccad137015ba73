package io.sei.operator.kube;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Remembers which Events were recorded lately, so that a repetition counts up the one there is.
 * Used by one thread.
 */
final class EventSeries {
  /** How long after its last occurrence an Event is still the one to count up. */
  static final Duration WINDOW = Duration.ofMinutes(10);

  /** As many as client-go remembers. */
  private static final int MAX_REMEMBERED = 4096;

  /** What makes two occurrences the same. */
  record Key(String uid, EventType type, String reason, String message) {}

  /** An Event in the API. */
  record Recorded(String namespace, String name, int count, Instant last) {
    Recorded again(Instant at) {
      return new Recorded(namespace, name, count + 1, at);
    }
  }

  private final Map<Key, Recorded> recent =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Recorded> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /** The Event that an occurrence at this time repeats, if there is one. */
  Optional<Recorded> repeatedBy(Key key, Instant at) {
    return Optional.ofNullable(recent.get(key))
        .filter(recorded -> recorded.last().plus(WINDOW).isAfter(at));
  }

  void remember(Key key, Recorded recorded) {
    recent.put(key, recorded);
  }
}
