package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Merge patches, mostly of metadata, that are refused (409) where the object changed since it was
 * read.
 */
public final class MetadataPatch {

  private MetadataPatch() {}

  /** Adds a finalizer. */
  public static String addFinalizer(HasMetadata object, String finalizer) {
    var finalizers = new ArrayList<>(object.getMetadata().getFinalizers());
    finalizers.add(finalizer);
    return finalizers(object, finalizers);
  }

  /** Removes a finalizer. */
  public static String removeFinalizer(HasMetadata object, String finalizer) {
    return finalizers(
        object,
        object.getMetadata().getFinalizers().stream()
            .filter(other -> !other.equals(finalizer))
            .toList());
  }

  /**
   * Sets an annotation.
   *
   * @param value removes the annotation if it is null
   */
  public static String annotation(HasMetadata object, String key, String value) {
    return annotations(object, Collections.singletonMap(key, value));
  }

  /** Sets several annotations; those whose value is null are removed. */
  public static String annotations(HasMetadata object, Map<String, String> annotations) {
    ObjectNode metadata = metadata(object);
    annotations.forEach(metadata.putObject("annotations")::put);
    return patch(metadata);
  }

  /** Sets labels and annotations. */
  public static String marks(
      HasMetadata object, Map<String, String> labels, Map<String, String> annotations) {
    ObjectNode metadata = metadata(object);
    labels.forEach(metadata.putObject("labels")::put);
    annotations.forEach(metadata.putObject("annotations")::put);
    return patch(metadata);
  }

  /** Replaces all owner references. */
  public static String ownerReferences(HasMetadata object, List<OwnerReference> references) {
    return patch(owners(object, references));
  }

  /**
   * Replaces all owner references, and sets an annotation.
   *
   * @param value removes the annotation if it is null
   */
  public static String ownerReferences(
      HasMetadata object, List<OwnerReference> references, String key, String value) {
    ObjectNode metadata = owners(object, references);
    metadata.putObject("annotations").put(key, value);
    return patch(metadata);
  }

  /** Has a claim ask for another size, and sets an annotation. */
  public static String storageRequest(HasMetadata claim, Quantity size, String key, String value) {
    ObjectNode metadata = metadata(claim);
    metadata.putObject("annotations").put(key, value);
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.set("metadata", metadata);
    patch
        .putObject("spec")
        .putObject("resources")
        .putObject("requests")
        .put("storage", size.toString());
    return patch.toString();
  }

  /** Has a claim name another VolumeAttributesClass. */
  public static String attributesClass(HasMetadata claim, String name) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.set("metadata", metadata(claim));
    patch.putObject("spec").put("volumeAttributesClassName", name);
    return patch.toString();
  }

  /** Has a volume outlive its claim, or not. */
  public static String reclaimPolicy(HasMetadata volume, String policy) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.set("metadata", metadata(volume));
    patch.putObject("spec").put("persistentVolumeReclaimPolicy", policy);
    return patch.toString();
  }

  /** Has a node run another image. */
  public static String image(HasMetadata node, String image) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.set("metadata", metadata(node));
    patch.putObject("spec").put("image", image);
    return patch.toString();
  }

  private static ObjectNode owners(HasMetadata object, List<OwnerReference> references) {
    ObjectNode metadata = metadata(object);
    return metadata.set(
        "ownerReferences",
        KubernetesClients.serialization().convertValue(references, JsonNode.class));
  }

  private static String finalizers(HasMetadata object, List<String> finalizers) {
    ObjectNode metadata = metadata(object);
    finalizers.forEach(metadata.putArray("finalizers")::add);
    return patch(metadata);
  }

  private static ObjectNode metadata(HasMetadata object) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("resourceVersion", object.getMetadata().getResourceVersion());
  }

  private static String patch(ObjectNode metadata) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.set("metadata", metadata);
    return patch.toString();
  }
}
