package io.sei.operator.demo;

import java.util.List;
import java.util.stream.Stream;

/** The scenes of the demo, in their order. */
final class Script {

  private Script() {}

  static List<Scene> scenes() {
    return Stream.of(NodeScenes.all(), FleetScenes.all()).flatMap(List::stream).toList();
  }

  /** Names of all pods that appear. */
  static List<String> pods() {
    return Stream.concat(Stream.of(NodeScenes.POD), FleetScenes.pods().stream()).toList();
  }
}
