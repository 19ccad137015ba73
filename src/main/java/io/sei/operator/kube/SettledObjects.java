package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers which objects were as rendered, and from what. Until either side changes nothing need
 * be rendered and compared again, which was more than half of what a reconcile cost.
 */
public final class SettledObjects {

  /** What a rendering depends on of the resource it is made from, its status left out. */
  public record Intent(
      String uid, Long generation, Map<String, String> labels, Map<String, String> annotations) {

    /** Of a resource whose generation changes with its spec. */
    public static Intent of(HasMetadata resource) {
      ObjectMeta metadata = resource.getMetadata();
      return new Intent(
          metadata.getUid(),
          metadata.getGeneration(),
          metadata.getLabels(),
          metadata.getAnnotations());
    }
  }

  /**
   * What we render of an object, at one moment.
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

  private record Settled(Object intent, Version version) {}

  private final Map<ResourceID, Map<String, Settled>> byOwner = new ConcurrentHashMap<>();

  /**
   * Whether {@code live} was found as rendered from an equal intent, and is as it was then.
   *
   * @param owner the resource that {@code live} is kept in sync for
   */
  public boolean contains(ResourceID owner, Object intent, HasMetadata live) {
    return new Settled(intent, Version.of(live))
        .equals(byOwner.getOrDefault(owner, Map.of()).get(key(live)));
  }

  /** Notes that {@code live} is as rendered from {@code intent}. */
  public void add(ResourceID owner, Object intent, HasMetadata live) {
    byOwner
        .computeIfAbsent(owner, it -> new ConcurrentHashMap<>())
        .put(key(live), new Settled(intent, Version.of(live)));
  }

  /** Forgets what is known of the objects of a resource that is gone. */
  public void forget(ResourceID owner) {
    byOwner.remove(owner);
  }

  private static String key(HasMetadata object) {
    return object.getKind() + "/" + object.getMetadata().getName();
  }
}
