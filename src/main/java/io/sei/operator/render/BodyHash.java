package io.sei.operator.render;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.Json;
import io.sei.operator.base.Sha256;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Digest of all that cannot be changed in a pod that runs: two templates with the same one differ
 * at most in what can.
 *
 * <p>It is made from the whole pod template as rendered, but for
 *
 * <ul>
 *   <li>{@code image} of each container and init container; {@code imagePullPolicy} is part of it,
 *       since that of a running pod is fixed, so that going from {@code latest} to a tag changes
 *       the digest
 *   <li>{@code resources} of each container and init container
 *   <li>the stamps: the annotations {@link Annotations#SPEC_HASH} and {@link Annotations#BODY_HASH}
 *       and the label {@link Labels#REVISION}, which say where a template comes from
 * </ul>
 *
 * <p>and from the node's annotation {@link Annotations#RESTART_REQUESTED_AT}, which is no part of
 * the template: a request for a restart wants a new pod. Neither the order of keys nor fields that
 * are empty make a difference; the order of a list does.
 */
final class BodyHash {

  private static final String PREFIX = "v1:";

  private static final JsonMapper JSON = Json.mapper();

  private static final Set<String> NOT_OF_A_CONTAINER = Set.of("image", "resources");

  private BodyHash() {}

  /** The digest of a template that was rendered for this node. */
  static String of(PodTemplateSpec template, SeiNode node) {
    JsonNode tree = JSON.valueToTree(template);
    Map<String, Object> spec = object(tree.path("spec"), Set.of());
    for (String list : List.of("containers", "initContainers")) {
      spec.computeIfPresent(list, (key, any) -> containers(tree.path("spec").path(key)));
    }
    Map<String, Object> body = new TreeMap<>();
    body.put("spec", spec);
    body.put(
        "annotations",
        object(
            tree.at("/metadata/annotations"),
            Set.of(Annotations.SPEC_HASH, Annotations.BODY_HASH)));
    body.put("labels", object(tree.at("/metadata/labels"), Set.of(Labels.REVISION)));
    Annotations.restartRequestedAt(node).ifPresent(at -> body.put("restartRequestedAt", at));
    JsonNode canonical = JSON.valueToTree(body);
    return PREFIX + Sha256.shortOf(canonical.toString());
  }

  private static List<Object> containers(JsonNode list) {
    List<Object> containers = new ArrayList<>();
    list.forEach(container -> containers.add(object(container, NOT_OF_A_CONTAINER)));
    return containers;
  }

  /** Returns the object with sorted keys, without these and without empty ones. */
  private static Map<String, Object> object(JsonNode object, Set<String> without) {
    Map<String, Object> fields = new TreeMap<>();
    object
        .properties()
        .forEach(
            field -> {
              if (!without.contains(field.getKey()) && !isEmpty(field.getValue())) {
                fields.put(field.getKey(), canonical(field.getValue()));
              }
            });
    return fields;
  }

  private static Object canonical(JsonNode value) {
    if (value.isObject()) {
      return object(value, Set.of());
    }
    if (!value.isArray()) {
      return value;
    }
    List<Object> items = new ArrayList<>();
    value.forEach(item -> items.add(canonical(item)));
    return items;
  }

  private static boolean isEmpty(JsonNode value) {
    return value.isNull() || value.isContainerNode() && value.isEmpty();
  }
}
