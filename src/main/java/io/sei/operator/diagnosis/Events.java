package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.base.Times;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Finds the events that speak about one object. */
final class Events {

  private static final Comparator<Event> LATER = Comparator.comparing(Events::lastSeen);

  private Events() {}

  /** Events of this very pod: an earlier pod of the same name left its own for an hour. */
  static Stream<Event> ofPod(Evidence evidence) {
    Pod pod = evidence.pod();
    if (pod == null || pod.getMetadata() == null) {
      return Stream.empty();
    }
    String uid = pod.getMetadata().getUid();
    return about(evidence, "Pod", pod.getMetadata().getName())
        .filter(
            event ->
                uid == null
                    || event.getInvolvedObject().getUid() == null
                    || uid.equals(event.getInvolvedObject().getUid()));
  }

  static Stream<Event> ofClaim(Evidence evidence) {
    return evidence.claimName() == null
        ? Stream.empty()
        : about(evidence, "PersistentVolumeClaim", evidence.claimName());
  }

  /** Events of what creates the pod: a StatefulSet or, in a bootstrap, a Job. */
  static Stream<Event> ofCreator(Evidence evidence) {
    return Stream.concat(about(evidence, "StatefulSet", null), about(evidence, "Job", null));
  }

  /** The latest event with one of these reasons; the first of several at the same time. */
  static Optional<Event> newest(Stream<Event> events, Set<String> reasons) {
    return events
        .filter(event -> event.getReason() != null && reasons.contains(event.getReason()))
        .reduce((one, other) -> LATER.compare(other, one) > 0 ? other : one);
  }

  /** Writers of events fill in different fields. */
  private static Instant lastSeen(Event event) {
    String series =
        event.getSeries() == null || event.getSeries().getLastObservedTime() == null
            ? null
            : event.getSeries().getLastObservedTime().getTime();
    String once = event.getEventTime() == null ? null : event.getEventTime().getTime();
    String created =
        event.getMetadata() == null ? null : event.getMetadata().getCreationTimestamp();
    return Stream.of(series, event.getLastTimestamp(), once, created)
        .map(Times::parse)
        .flatMap(Optional::stream)
        .max(Instant::compareTo)
        .orElse(Instant.MIN);
  }

  private static Stream<Event> about(Evidence evidence, String kind, String name) {
    return evidence.events().stream()
        .filter(
            event -> {
              ObjectReference object = event.getInvolvedObject();
              return object != null
                  && kind.equals(object.getKind())
                  && (name == null || name.equals(object.getName()));
            });
  }
}
