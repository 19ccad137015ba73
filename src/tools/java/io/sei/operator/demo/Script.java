package io.sei.operator.demo;

import io.sei.operator.testkit.Fault;
import io.sei.operator.testkit.Faults;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the demo plays.
 *
 * @param scenes in their order
 * @param pods names of all pods that appear
 * @param faults the faults that are shown
 */
record Script(List<Scene> scenes, List<String> pods, List<Fault> faults) {

  private static final String ALL = "all";

  /** What the operator does, without a fault that is looked at closely. */
  private static Script tour() {
    return new Script(
        Stream.of(NodeScenes.all(), FleetScenes.all()).flatMap(List::stream).toList(),
        Stream.concat(Stream.of(NodeScenes.POD), FleetScenes.pods().stream()).toList(),
        List.of());
  }

  /** What is special about nodes of a mode, or the tour if none is named. */
  static Optional<Script> ofMode(String name) {
    return switch (name) {
      case "" -> Optional.of(tour());
      case "validator" ->
          Optional.of(new Script(ValidatorScenes.all(), ValidatorScenes.pods(), List.of()));
      case "network" ->
          Optional.of(new Script(NetworkScenes.all(), NetworkScenes.pods(), List.of()));
      case "upgrade" ->
          Optional.of(new Script(UpgradeScenes.all(), UpgradeScenes.pods(), List.of()));
      default -> Optional.empty();
    };
  }

  /** The fault of this name, or all of them; empty if there is none of this name. */
  static Optional<Script> ofFault(String name) {
    return name.equals(ALL)
        ? Optional.of(of(Faults.all()))
        : Faults.named(name).map(fault -> of(List.of(fault)));
  }

  /** What there is to choose from, one a line. */
  static List<String> choice() {
    return Stream.of(
            Stream.of("MODE is validator, network, upgrade or not set. FAULT is not set or one of"),
            Faults.all().stream().map(fault -> "  %-22s %s".formatted(fault.name(), fault.story())),
            Stream.of("  %-22s %s".formatted(ALL, "All of them, one after the other.")))
        .flatMap(it -> it)
        .toList();
  }

  private static Script of(List<Fault> faults) {
    return new Script(
        FaultScenes.of(faults),
        faults.stream().map(fault -> FaultScenes.node(fault) + "-0").toList(),
        faults);
  }
}
