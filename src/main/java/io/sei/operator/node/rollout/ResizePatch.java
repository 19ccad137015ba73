package io.sei.operator.node.rollout;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import io.sei.operator.diagnosis.PodResize;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * PURE: what of a pod's resources differs between two templates, and the request that gives it to
 * the pod. What others gave the pod, such as the defaults of a LimitRange, is in neither template
 * and stays.
 */
final class ResizePatch {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Resources that a running pod can be given. */
  private static final Set<String> RESIZABLE =
      Set.of("requests.cpu", "requests.memory", "limits.cpu", "limits.memory");

  private ResizePatch() {}

  /**
   * The containers whose resources differ.
   *
   * @param pod as it is, resized or not
   * @param own the template that it was made from, or last brought to
   */
  static List<ResizedContainer> changes(Pod pod, PodTemplateSpec own, PodTemplateSpec wanted) {
    return containers(wanted.getSpec())
        .flatMap(
            container ->
                named(own.getSpec(), container.getName())
                    .map(of -> change(pod, of, container))
                    .filter(change -> !change.from().isEmpty() || !change.to().isEmpty())
                    .stream())
        .toList();
  }

  private static ResizedContainer change(Pod pod, Container own, Container wanted) {
    Map<String, String> had = defaulted(own.getResources());
    Map<String, String> asked = defaulted(wanted.getResources());
    Map<String, String> has = PodResize.amounts(pod, own.getName());
    Map<String, String> from = new TreeMap<>();
    Map<String, String> to = new TreeMap<>();
    for (String of : union(had.keySet(), asked.keySet())) {
      if (!PodResize.isSame(had.get(of), asked.get(of))) {
        boolean isGiven = PodResize.isSame(has.get(of), asked.get(of));
        from.put(of, isGiven ? had.get(of) : has.get(of));
        to.put(of, asked.get(of));
      }
    }
    return new ResizedContainer(own.getName(), from, to);
  }

  /**
   * The API server makes a request of a limit that stands alone, in a pod and not in a template.
   */
  private static Map<String, String> defaulted(ResourceRequirements resources) {
    Map<String, String> amounts = PodResize.amounts(resources);
    if (resources != null) {
      resources
          .getLimits()
          .forEach((of, it) -> amounts.putIfAbsent("requests." + of, it.toString()));
    }
    return amounts;
  }

  private static Set<String> union(Set<String> one, Set<String> other) {
    var all = new TreeSet<>(one);
    all.addAll(other);
    return all;
  }

  /** Returns whether two templates differ in resources that a running pod cannot be given. */
  static boolean needsNewPod(PodTemplateSpec own, PodTemplateSpec wanted) {
    return containers(wanted.getSpec())
        .anyMatch(
            container ->
                named(own.getSpec(), container.getName())
                    .filter(of -> isResizable(of.getResources(), container.getResources()))
                    .isEmpty());
  }

  private static boolean isResizable(ResourceRequirements own, ResourceRequirements wanted) {
    Map<String, String> had = PodResize.amounts(own);
    Map<String, String> asked = PodResize.amounts(wanted);
    return Objects.equals(claims(own), claims(wanted))
        && union(had.keySet(), asked.keySet()).stream()
            .filter(of -> !RESIZABLE.contains(of))
            .allMatch(of -> PodResize.isSame(had.get(of), asked.get(of)));
  }

  private static List<?> claims(ResourceRequirements resources) {
    return resources == null ? List.of() : resources.getClaims();
  }

  /** The request that gives a pod what it is to get; a strategic merge patch. */
  static String of(Pod pod, List<ResizedContainer> resized) {
    ObjectNode patch = JSON.objectNode();
    patch
        .putObject("metadata")
        .put("uid", pod.getMetadata().getUid())
        .put("resourceVersion", pod.getMetadata().getResourceVersion());
    ObjectNode spec = patch.putObject("spec");
    Set<String> inits =
        Set.copyOf(pod.getSpec().getInitContainers().stream().map(Container::getName).toList());
    for (ResizedContainer it : resized) {
      ArrayNode list = spec.withArray(inits.contains(it.name()) ? "initContainers" : "containers");
      ObjectNode resources = list.addObject().put("name", it.name()).putObject("resources");
      union(it.from().keySet(), it.to().keySet()).stream()
          .filter(RESIZABLE::contains)
          .map(of -> of.split("\\."))
          .forEach(
              of ->
                  resources.withObject("/" + of[0]).put(of[1], it.to().get(String.join(".", of))));
    }
    return patch.toString();
  }

  private static Optional<Container> named(PodSpec spec, String name) {
    return containers(spec).filter(container -> container.getName().equals(name)).findFirst();
  }

  private static Stream<Container> containers(PodSpec spec) {
    return Stream.concat(spec.getContainers().stream(), spec.getInitContainers().stream());
  }
}
