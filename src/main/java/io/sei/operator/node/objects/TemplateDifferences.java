package io.sei.operator.node.objects;

import io.sei.operator.render.Annotations;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PURE: what differs between two pod templates, in words. */
final class TemplateDifferences {

  private static final String TEMPLATE = "spec.template";

  private static final Pattern CONTAINER =
      Pattern.compile("spec\\.(?:initC|c)ontainers\\[([^]]+)](?:\\.(\\w+).*)?");

  private static final Pattern METADATA = Pattern.compile("metadata\\.(annotation|label)s\\.(.+)");

  private static final Pattern OF_POD = Pattern.compile("spec\\.(\\w+).*");

  /** They say where a template comes from, and nothing of a pod. */
  private static final Set<String> STAMPS = Set.of(Annotations.SPEC_HASH, Annotations.BODY_HASH);

  private TemplateDifferences() {}

  /** Returns whether any of these paths of a StatefulSet is in its pod template. */
  static boolean anyIn(List<String> paths) {
    return paths.stream().anyMatch(path -> path.startsWith(TEMPLATE));
  }

  /**
   * Describes the paths in the pod template, such as {@code readinessProbe of container seid};
   * empty if only stamps differ.
   */
  static String words(List<String> paths) {
    return String.join(
        ", ",
        paths.stream()
            .filter(path -> path.startsWith(TEMPLATE + "."))
            .map(path -> path.substring(TEMPLATE.length() + 1))
            .flatMap(path -> word(path).stream())
            .distinct()
            .toList());
  }

  private static Optional<String> word(String path) {
    Matcher container = CONTAINER.matcher(path);
    if (container.matches()) {
      String name = "container " + container.group(1);
      return Optional.of(container.group(2) == null ? name : container.group(2) + " of " + name);
    }
    Matcher metadata = METADATA.matcher(path);
    if (metadata.matches()) {
      return Optional.of(metadata.group(2))
          .filter(key -> !STAMPS.contains(key))
          .map(key -> metadata.group(1) + " " + key);
    }
    Matcher ofPod = OF_POD.matcher(path);
    return Optional.of(ofPod.matches() ? ofPod.group(1) : path);
  }
}
