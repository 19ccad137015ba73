package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Records the pods that have lived under a name, by watch events. */
final class PodHistory {
  private final Map<ObjectKey, List<PodRecord>> records = new ConcurrentHashMap<>();
  private final Clock clock;

  PodHistory(Clock clock) {
    this.clock = clock;
  }

  void seen(Pod pod) {
    String uid = pod.getMetadata().getUid();
    records.compute(
        ObjectKey.of(pod),
        (key, known) -> {
          List<PodRecord> list = known == null ? List.of() : known;
          if (list.stream().anyMatch(r -> r.uid().equals(uid))) {
            return list;
          }
          List<PodRecord> longer = new ArrayList<>(list);
          longer.add(
              new PodRecord(
                  uid, PodShape.mainContainer(pod).getImage(), clock.instant(), null, null));
          return List.copyOf(longer);
        });
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      change(pod, r -> r.deletionRequested(clock.instant()));
    }
  }

  void gone(Pod pod) {
    change(pod, r -> r.deleted(clock.instant()));
  }

  List<PodRecord> of(ObjectKey pod) {
    return records.getOrDefault(pod, List.of());
  }

  private void change(Pod pod, UnaryOperator<PodRecord> change) {
    String uid = pod.getMetadata().getUid();
    records.computeIfPresent(
        ObjectKey.of(pod),
        (key, list) -> list.stream().map(r -> r.uid().equals(uid) ? change.apply(r) : r).toList());
  }
}
