package io.sei.operator.testkit;

import java.time.Instant;

/**
 * A pod as the kubelet saw it, in the simulator's clock.
 *
 * @param uid the pod's uid
 * @param image the image of its {@code seid} container, or of its first container
 * @param createdAt when it was first seen
 * @param deletionRequestedAt when its deletion was first seen, null while nobody asked for it
 * @param deletedAt when it was gone, null while it exists
 */
public record PodRecord(
    String uid, String image, Instant createdAt, Instant deletionRequestedAt, Instant deletedAt) {

  PodRecord deletionRequested(Instant at) {
    return deletionRequestedAt != null ? this : new PodRecord(uid, image, createdAt, at, deletedAt);
  }

  PodRecord deleted(Instant at) {
    Instant requested = deletionRequestedAt == null ? at : deletionRequestedAt;
    return deletedAt != null ? this : new PodRecord(uid, image, createdAt, requested, at);
  }
}
