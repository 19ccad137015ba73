package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.TypedLocalObjectReference;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The claims that pods mount.
 *
 * @param claims a claim as it is known now
 */
record PodVolumes(Function<ObjectKey, Optional<PersistentVolumeClaim>> claims) {

  /** Why the pod's volumes keep it from being scheduled, in the scheduler's words. */
  Optional<String> obstacle(Pod pod) {
    for (String name : claimNames(pod)) {
      Optional<PersistentVolumeClaim> claim = claim(pod, name);
      if (claim.isEmpty()) {
        return Optional.of("persistentvolumeclaim \"" + name + "\" not found");
      }
      if (claim.get().getMetadata().getDeletionTimestamp() != null) {
        return Optional.of("persistentvolumeclaim \"" + name + "\" is being deleted");
      }
      if (!VolumeBinder.isBound(claim.get())) {
        return Optional.of(
            "0/1 nodes are available: 1 pod has unbound immediate PersistentVolumeClaims.");
      }
    }
    return Optional.empty();
  }

  /** The uid of the claim that has the pod's data, if it mounts one. */
  Optional<String> dataClaim(Pod pod) {
    return data(pod).map(claim -> claim.getMetadata().getUid());
  }

  /** The name of what the pod's data was copied from. */
  Optional<String> snapshot(Pod pod) {
    return data(pod)
        .map(claim -> claim.getSpec().getDataSource())
        .map(TypedLocalObjectReference::getName);
  }

  private Optional<PersistentVolumeClaim> data(Pod pod) {
    return claimNames(pod).stream().findFirst().flatMap(name -> claim(pod, name));
  }

  static List<String> claimNames(Pod pod) {
    return pod.getSpec().getVolumes().stream()
        .map(Volume::getPersistentVolumeClaim)
        .flatMap(Stream::ofNullable)
        .map(source -> source.getClaimName())
        .toList();
  }

  private Optional<PersistentVolumeClaim> claim(Pod pod, String name) {
    return claims.apply(new ObjectKey(pod.getMetadata().getNamespace(), name));
  }
}
