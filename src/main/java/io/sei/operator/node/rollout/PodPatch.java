package io.sei.operator.node.rollout;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.diagnosis.ObservedPod;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.rollout.PodUpdateChoice.Change;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * PURE: the request that brings a pod to a template in place, images and all that says which
 * template it is of, in one. It is refused where the pod is not as it was read.
 */
final class PodPatch {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Label by which the StatefulSet controller knows the revision of a pod. */
  private static final String REVISION = "controller-revision-hash";

  private PodPatch() {}

  /** The patch, a strategic merge patch. */
  static String of(Pod pod, PodTemplateSpec template, String revision, List<Change> changes) {
    ObjectNode patch = JSON.objectNode();
    ObjectNode metadata =
        patch
            .putObject("metadata")
            .put("uid", pod.getMetadata().getUid())
            .put("resourceVersion", pod.getMetadata().getResourceVersion());
    metadata
        .putObject("labels")
        .put(REVISION, revision)
        .put(Labels.REVISION, stamp(template.getMetadata(), true).orElse(null));
    metadata
        .putObject("annotations")
        .put(Annotations.SPEC_HASH, stamp(template.getMetadata(), false).orElse(null));
    ObjectNode spec = patch.putObject("spec");
    images(spec, "containers", template.getSpec().getContainers(), changes);
    images(spec, "initContainers", template.getSpec().getInitContainers(), changes);
    return patch.toString();
  }

  /** Returns whether a pod is what the patch was to make of it. */
  static boolean isIn(Pod pod, PodTemplateSpec template, PodUpdate update) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    String stamp = annotations == null ? null : annotations.get(Annotations.SPEC_HASH);
    return PodFacts.revision(pod).equals(Optional.ofNullable(update.revision()))
        && stamp(template.getMetadata(), false).equals(Optional.ofNullable(stamp))
        && ObservedPod.hasImages(pod, update);
  }

  private static Optional<String> stamp(ObjectMeta template, boolean label) {
    Map<String, String> all = label ? template.getLabels() : template.getAnnotations();
    return Optional.ofNullable(all)
        .map(values -> values.get(label ? Labels.REVISION : Annotations.SPEC_HASH));
  }

  private static void images(
      ObjectNode spec, String list, List<Container> containers, List<Change> changes) {
    ArrayNode images = JSON.arrayNode();
    containers.stream()
        .flatMap(
            container ->
                changes.stream().filter(change -> change.container().equals(container.getName())))
        .forEach(
            change -> images.addObject().put("name", change.container()).put("image", change.to()));
    if (!images.isEmpty()) {
      spec.set(list, images);
    }
  }
}
