package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.List;
import java.util.Map;

/**
 * Part of a resource that its rendering depends on: all but the status.
 *
 * @param more what else it depends on
 */
public record Intent(
    ResourceID owner,
    String uid,
    Long generation,
    Map<String, String> labels,
    Map<String, String> annotations,
    List<Object> more) {

  /** Returns the intent of a resource whose generation changes with its spec. */
  public static Intent of(HasMetadata resource, Object... more) {
    ObjectMeta metadata = resource.getMetadata();
    return new Intent(
        ResourceID.fromResource(resource),
        metadata.getUid(),
        metadata.getGeneration(),
        metadata.getLabels(),
        metadata.getAnnotations(),
        List.of(more));
  }
}
