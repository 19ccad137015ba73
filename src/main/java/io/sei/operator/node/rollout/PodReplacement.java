package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SeidState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * PURE: how long the last replacement of a node's pod took, from the deletion to the start of
 * seid's container in the next pod.
 *
 * @param leaving uid of the pod that is being replaced; null if none is
 * @param since when its deletion was seen
 * @param took how long the last one took; null if none was seen
 */
record PodReplacement(String leaving, Instant since, Duration took) {

  /** Assumed length of a replacement while none was measured. */
  static final Duration UNKNOWN = Duration.ofSeconds(60);

  /** The measurement once the pod of the node was seen again; null if nothing was measured. */
  static PodReplacement after(PodReplacement known, Pod pod, Instant now) {
    String uid = pod.getMetadata().getUid();
    if (PodFacts.isTerminating(pod)) {
      return known != null && uid.equals(known.leaving)
          ? known
          : new PodReplacement(uid, now, known == null ? null : known.took);
    }
    if (known == null || known.leaving == null || uid.equals(known.leaving)) {
      return known;
    }
    return SeidState.of(pod)
        .runningSince()
        .map(started -> new PodReplacement(null, null, Duration.between(known.since, started)))
        .orElse(known);
  }

  /** Forgets when a stopped node lost its pod: the next one comes when the user wants it. */
  static PodReplacement interrupted(PodReplacement known) {
    return known == null || known.took == null ? null : new PodReplacement(null, null, known.took);
  }

  Optional<Duration> lastTook() {
    return Optional.ofNullable(took);
  }
}
