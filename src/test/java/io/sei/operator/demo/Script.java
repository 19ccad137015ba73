package io.sei.operator.demo;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a demo shows.
 *
 * @param scenes in their order
 * @param pods names of all pods that appear
 */
record Script(List<Scene> scenes, List<String> pods) {

  /** The script of a mode: {@code validator}, or everything else if it is empty. */
  static Script of(String mode) {
    return switch (mode) {
      case "" ->
          new Script(
              Stream.of(NodeScenes.all(), FleetScenes.all()).flatMap(List::stream).toList(),
              Stream.concat(Stream.of(NodeScenes.POD), FleetScenes.pods().stream()).toList());
      case "validator" -> new Script(ValidatorScenes.all(), ValidatorScenes.pods());
      default ->
          throw new IllegalArgumentException("MODE is validator or not set, not '" + mode + "'");
    };
  }
}
