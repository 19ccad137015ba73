package io.sei.operator.demo;

import io.sei.operator.testkit.Fault;
import io.sei.operator.testkit.Faults;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A series of scenes that the demo plays.
 *
 * @param name the MODE, {@code tour} without one, or {@code fault}
 * @param scenes in their order
 * @param pods names of all pods that appear
 * @param faults the faults that are shown
 */
record Script(String name, List<Scene> scenes, List<String> pods, List<Fault> faults) {

  private static final String ALL = "all";

  private static final List<Script> MODES =
      List.of(
          new Script("network", NetworkScenes.all(), NetworkScenes.pods()),
          new Script("upgrade", UpgradeScenes.all(), FleetScenes.pods()),
          new Script("validator", ValidatorScenes.all(), ValidatorScenes.pods()));

  /** A script without a fault that is looked at closely. */
  private Script(String name, List<Scene> scenes, List<String> pods) {
    this(name, scenes, pods, List.of());
  }

  /** The scenes of a node, and then of a fleet. */
  private static Script tour() {
    return new Script(
        "tour",
        Stream.concat(NodeScenes.all().stream(), FleetScenes.all().stream()).toList(),
        Stream.concat(Stream.of(NodeScenes.POD), FleetScenes.pods().stream()).toList());
  }

  /** Returns the values of MODE. */
  static List<String> modes() {
    return MODES.stream().map(Script::name).toList();
  }

  /** Returns the script of a mode, or the tour if none is named. */
  static Optional<Script> ofMode(String name) {
    return name.isEmpty()
        ? Optional.of(tour())
        : MODES.stream().filter(mode -> mode.name().equals(name)).findFirst();
  }

  /** The fault of this name, or all of them; empty if there is none of this name. */
  static Optional<Script> ofFault(String name) {
    return name.equals(ALL)
        ? Optional.of(of(Faults.all()))
        : Faults.named(name).map(fault -> of(List.of(fault)));
  }

  /** Returns the choices, one per line. */
  static List<String> choice() {
    return Stream.of(
            Stream.of(
                "MODE is %s or not set. FAULT is not set or one of"
                    .formatted(String.join(", ", modes()))),
            Faults.all().stream().map(fault -> "  %-26s %s".formatted(fault.name(), fault.story())),
            Stream.of("  %-26s %s".formatted(ALL, "All of them, one after the other.")))
        .flatMap(lines -> lines)
        .toList();
  }

  private static Script of(List<Fault> faults) {
    return new Script(
        "fault",
        FaultScenes.of(faults),
        faults.stream().map(fault -> FaultScenes.node(fault) + "-0").toList(),
        faults);
  }
}
