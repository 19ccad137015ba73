package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Sha256;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Server-side apply behind a gate: an object is applied only when the hash of the rendering differs
 * from the one annotated on it, or when something we render is missing or different in it. An idle
 * fleet therefore costs no request at all.
 */
public final class Applier {

  /**
   * An object after it was, or was not, applied.
   *
   * @param changed false where applying would not change it, or did not
   * @param differences what differed from the rendering before, as paths; empty for a new object
   */
  public record Applied<T>(T object, boolean changed, List<String> differences) {}

  private final KubeApi api;
  private final KubernetesSerialization serialization;
  private final String fieldManager;
  private final String hashAnnotation;
  private final MeterRegistry metrics;
  private final AppliedObjectsCache clean;

  /**
   * @param hashAnnotation key of the annotation that carries the hash of the rendering
   * @param memory of the objects that own what is applied
   */
  public Applier(
      KubeApi api,
      KubernetesSerialization serialization,
      String fieldManager,
      String hashAnnotation,
      PerObjectState<ResourceID> memory,
      MeterRegistry metrics) {
    this.api = api;
    this.serialization = serialization;
    this.fieldManager = fieldManager;
    this.hashAnnotation = hashAnnotation;
    this.clean = new AppliedObjectsCache(memory);
    this.metrics = metrics;
  }

  /**
   * Makes {@code live} what {@code rendered} says, or creates it if there is no live object, which
   * is never forced. A live object is only written if it still has the uid that was seen.
   *
   * @param intent what {@code rendered} is made from; an object that an apply leaves unchanged is
   *     clean until this changes, or the object does
   */
  public <T extends HasMetadata> Applied<T> apply(Intent intent, T rendered, Optional<T> live) {
    Applied<T> applied = apply(rendered, live);
    if (!applied.changed()) {
      clean.add(intent, applied.object());
    }
    return applied;
  }

  /**
   * Returns whether applying is known not to change this object, so that it need not be rendered.
   */
  public boolean isClean(Intent intent, HasMetadata live) {
    return clean.contains(intent, live);
  }

  private <T extends HasMetadata> Applied<T> apply(T rendered, Optional<T> live) {
    ObjectNode wanted = serialization.convertValue(rendered, ObjectNode.class);
    String hash = Sha256.shortOf(wanted.toString());
    if (live.isEmpty()) {
      T created = api.applyUnforced(marked(rendered, wanted, hash, null), fieldManager);
      count(rendered, "created");
      return new Applied<>(created, true, List.of());
    }
    List<String> differences = differences(wanted, hash, live.get());
    if (differences.isEmpty()) {
      return new Applied<>(live.get(), false, List.of());
    }
    T applied =
        update(
            marked(rendered, wanted, hash, live.get().getMetadata().getUid()), wanted, live.get());
    boolean changed = !version(applied).equals(version(live.get()));
    count(rendered, changed ? "changed" : "unchanged");
    return new Applied<>(applied, changed, differences);
  }

  private <T extends HasMetadata> T update(T marked, ObjectNode wanted, T live) {
    JsonNode present = serialization.convertValue(live, JsonNode.class);
    patch(RenumberedPorts.patch(wanted, present), live);
    try {
      return api.apply(marked, fieldManager);
    } catch (RefusedException e) {
      ObjectNode emptied = EmptiedObjects.patch(wanted, present, EmptiedObjects.refused(e));
      if (emptied.isEmpty()) {
        throw e;
      }
      patch(emptied, live);
      return api.apply(marked, fieldManager);
    }
  }

  /** Changes what server-side apply cannot. */
  private <T extends HasMetadata> void patch(ObjectNode patch, T live) {
    if (!patch.isEmpty()) {
      patch.putObject("metadata").put("resourceVersion", version(live));
      api.mergePatch(live, patch.toString());
    }
  }

  private List<String> differences(ObjectNode wanted, String hash, HasMetadata live) {
    List<String> differences =
        SubsetDiff.of(wanted, serialization.convertValue(live, JsonNode.class));
    if (!differences.isEmpty()) {
      return differences;
    }
    return hash.equals(annotation(live))
        ? List.of()
        : List.of("metadata.annotations." + hashAnnotation);
  }

  private String annotation(HasMetadata live) {
    Map<String, String> annotations = live.getMetadata().getAnnotations();
    return annotations == null ? null : annotations.get(hashAnnotation);
  }

  @SuppressWarnings("unchecked")
  private <T extends HasMetadata> T marked(T rendered, ObjectNode wanted, String hash, String uid) {
    ObjectNode marked = wanted.deepCopy();
    ObjectNode metadata = (ObjectNode) marked.get("metadata");
    metadata.withObject("/annotations").put(hashAnnotation, hash);
    if (uid != null) {
      metadata.put("uid", uid);
    }
    return (T) serialization.convertValue(marked, rendered.getClass());
  }

  private void count(HasMetadata object, String result) {
    applies(metrics, object.getKind(), result).increment();
  }

  /**
   * Counts applies.
   *
   * @param kind kind of the object
   * @param result what came of them: created, changed or unchanged
   */
  public static Counter applies(MeterRegistry metrics, String kind, String result) {
    return Counter.builder("sei.applies")
        .description("Server-side applies that were sent, by what came of them")
        .tag("kind", kind)
        .tag("result", result)
        .register(metrics);
  }

  private static String version(HasMetadata object) {
    return object.getMetadata().getResourceVersion();
  }
}
