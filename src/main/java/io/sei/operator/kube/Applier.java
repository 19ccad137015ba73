package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Server-side apply behind a gate: an object is applied only when the hash of the rendering differs
 * from the one annotated on it, or when something we render is missing or different in it. An idle
 * fleet therefore costs no request at all.
 */
public final class Applier {

  /** What was applied last, so that a difference that applying cannot remove is not tried again. */
  private record Clean(String resourceVersion, String renderedHash) {}

  /**
   * An object after it was, or was not, applied.
   *
   * @param written whether the API server was asked to write
   * @param differences what differed from the rendering before, as paths; empty for a new object
   */
  public record Applied<T>(T object, boolean written, List<String> differences) {}

  /** The API server's answer to an object that is not valid. */
  private static final int UNPROCESSABLE = 422;

  private final KubeApi api;
  private final KubernetesSerialization serialization;
  private final String fieldManager;
  private final String hashAnnotation;
  private final ApplyCounts counts;
  private final Map<String, Clean> clean = new ConcurrentHashMap<>();

  /**
   * @param hashAnnotation key of the annotation that carries the hash of the rendering
   */
  public Applier(
      KubeApi api,
      KubernetesSerialization serialization,
      String fieldManager,
      String hashAnnotation,
      MeterRegistry metrics) {
    this.api = api;
    this.serialization = serialization;
    this.fieldManager = fieldManager;
    this.hashAnnotation = hashAnnotation;
    this.counts = new ApplyCounts(metrics);
  }

  /**
   * Makes {@code live} what {@code rendered} says, or creates it if there is no live object, which
   * is never forced. A live object is only written if it still has the uid that was seen.
   */
  public <T extends HasMetadata> Applied<T> apply(T rendered, Optional<T> live) {
    ObjectNode intent = serialization.convertValue(rendered, ObjectNode.class);
    String hash = hash(intent);
    if (live.isEmpty()) {
      T created = api.applyUnforced(marked(rendered, intent, hash, null), fieldManager);
      count(rendered, "created");
      return new Applied<>(created, true, List.of());
    }
    List<String> differences = differences(intent, hash, live.get());
    if (differences.isEmpty()) {
      return new Applied<>(live.get(), false, List.of());
    }
    T applied =
        update(
            marked(rendered, intent, hash, live.get().getMetadata().getUid()), intent, live.get());
    boolean unchanged = version(applied).equals(version(live.get()));
    if (unchanged) {
      clean.put(key(applied), new Clean(version(applied), hash));
    }
    count(rendered, unchanged ? "unchanged" : "changed");
    return new Applied<>(applied, true, differences);
  }

  private <T extends HasMetadata> T update(T marked, ObjectNode intent, T live) {
    try {
      return withoutRekeyed(intent, api.apply(marked, fieldManager));
    } catch (KubernetesClientException e) {
      T cleared = e.getCode() == UNPROCESSABLE ? withoutRekeyed(intent, live) : live;
      if (cleared == live) {
        throw e;
      }
      return api.apply(marked, fieldManager);
    }
  }

  private <T extends HasMetadata> T withoutRekeyed(ObjectNode intent, T object) {
    ObjectNode removal =
        RekeyedItems.removal(intent, serialization.convertValue(object, JsonNode.class));
    if (removal.isEmpty()) {
      return object;
    }
    removal.putObject("metadata").put("resourceVersion", version(object));
    return api.mergePatch(object, removal.toString());
  }

  private List<String> differences(ObjectNode intent, String hash, HasMetadata live) {
    if (new Clean(version(live), hash).equals(clean.get(key(live)))) {
      return List.of();
    }
    List<String> differences =
        SubsetDiff.of(intent, serialization.convertValue(live, JsonNode.class));
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
  private <T extends HasMetadata> T marked(T rendered, ObjectNode intent, String hash, String uid) {
    ObjectNode marked = intent.deepCopy();
    ObjectNode metadata = (ObjectNode) marked.get("metadata");
    metadata.withObject("/annotations").put(hashAnnotation, hash);
    if (uid != null) {
      metadata.put("uid", uid);
    }
    return (T) serialization.convertValue(marked, rendered.getClass());
  }

  private void count(HasMetadata object, String result) {
    counts.count(object.getKind(), result);
  }

  private static String key(HasMetadata object) {
    return object.getKind()
        + "/"
        + object.getMetadata().getNamespace()
        + "/"
        + object.getMetadata().getName();
  }

  private static String version(HasMetadata object) {
    return object.getMetadata().getResourceVersion();
  }

  private static String hash(JsonNode rendering) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(rendering.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
