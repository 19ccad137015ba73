package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.Event;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the times of Kubernetes objects; what cannot be read counts as absent. */
public final class KubeTime {

  private KubeTime() {}

  /** A time as the API server writes it. */
  public static Optional<Instant> parse(String time) {
    if (time == null || time.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(OffsetDateTime.parse(time).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** When an event was last seen: writers of events fill in different fields. */
  static Instant of(Event event) {
    String series =
        event.getSeries() == null || event.getSeries().getLastObservedTime() == null
            ? null
            : event.getSeries().getLastObservedTime().getTime();
    String once = event.getEventTime() == null ? null : event.getEventTime().getTime();
    String created =
        event.getMetadata() == null ? null : event.getMetadata().getCreationTimestamp();
    return Stream.of(series, event.getLastTimestamp(), once, created)
        .map(KubeTime::parse)
        .flatMap(Optional::stream)
        .max(Instant::compareTo)
        .orElse(Instant.MIN);
  }
}
