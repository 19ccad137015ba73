package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds probes of a pod template that are not rendered any more, or are of another kind.
 * Server-side apply takes away only what was applied: of such a probe the fields stay that the API
 * server put beside it by default, and no pod can be made with what is left.
 */
final class StaleProbes {

  private static final List<String> LISTS = List.of("initContainers", "containers");
  private static final List<String> PROBES =
      List.of("startupProbe", "readinessProbe", "livenessProbe");

  private StaleProbes() {}

  /** Where {@code live} has such probes, such as {@code containers[seid].startupProbe}. */
  static List<String> paths(JsonNode wanted, JsonNode live) {
    var paths = new ArrayList<String>();
    prune(wanted, live.deepCopy(), paths);
    return paths;
  }

  /** The merge patch that removes them; empty if there are none. */
  static ObjectNode removal(JsonNode wanted, JsonNode live) {
    JsonNode pruned = live.deepCopy();
    prune(wanted, pruned, new ArrayList<>());
    return StatusPatch.diff(live, pruned);
  }

  private static void prune(JsonNode wanted, JsonNode live, List<String> paths) {
    for (String list : LISTS) {
      String pointer = "/spec/template/spec/" + list;
      for (JsonNode container : live.at(pointer)) {
        for (JsonNode namesake : wanted.at(pointer)) {
          if (namesake.path("name").equals(container.path("name"))) {
            String path =
                "spec.template.spec.%s[%s]".formatted(list, namesake.get("name").asText());
            prune(namesake, (ObjectNode) container, path, paths);
          }
        }
      }
    }
  }

  private static void prune(
      JsonNode wanted, ObjectNode container, String path, List<String> paths) {
    for (String probe : PROBES) {
      if (container.has(probe) && !kinds(wanted.path(probe)).equals(kinds(container.get(probe)))) {
        container.remove(probe);
        paths.add(path + "." + probe);
      }
    }
  }

  /** Those of its fields that are objects say how it asks: httpGet, tcpSocket, exec, grpc. */
  private static Set<String> kinds(JsonNode probe) {
    var kinds = new HashSet<String>();
    probe
        .properties()
        .forEach(
            field -> {
              if (field.getValue().isObject()) {
                kinds.add(field.getKey());
              }
            });
    return kinds;
  }
}
