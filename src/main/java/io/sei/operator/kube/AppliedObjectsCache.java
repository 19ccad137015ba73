package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Caches which objects an apply would not change, and what they were rendered from. As long as
 * neither changes, rendering and comparing them again is skipped, which was more than half of the
 * processor time of a reconcile.
 */
final class AppliedObjectsCache {

  /**
   * Rendering of an object, at one moment.
   *
   * @param version its generation, which its status leaves alone, or the resourceVersion of a kind
   *     without one
   */
  private record Version(
      String uid,
      String version,
      Map<String, String> labels,
      Map<String, String> annotations,
      List<OwnerReference> owners) {

    static Version of(HasMetadata object) {
      ObjectMeta metadata = object.getMetadata();
      return new Version(
          metadata.getUid(),
          metadata.getGeneration() == null
              ? "version " + metadata.getResourceVersion()
              : "generation " + metadata.getGeneration(),
          metadata.getLabels(),
          metadata.getAnnotations(),
          metadata.getOwnerReferences());
    }
  }

  private record Clean(Intent intent, Version version) {}

  private final PerObjectMap<ResourceID, Map<String, Clean>> byOwner;

  AppliedObjectsCache(PerObjectState<ResourceID> memory) {
    this.byOwner = memory.newMap();
  }

  /** Returns whether {@code live} was clean for an equal intent, and is as it was then. */
  boolean contains(Intent intent, HasMetadata live) {
    return new Clean(intent, Version.of(live))
        .equals(byOwner.get(intent.owner()).map(values -> values.get(key(live))).orElse(null));
  }

  /** Notes that {@code live} is clean. */
  void add(Intent intent, HasMetadata live) {
    byOwner
        .compute(intent.owner(), kept -> kept == null ? new ConcurrentHashMap<>() : kept)
        .orElseThrow()
        .put(key(live), new Clean(intent, Version.of(live)));
  }

  private static String key(HasMetadata object) {
    return object.getKind() + "/" + object.getMetadata().getName();
  }
}
