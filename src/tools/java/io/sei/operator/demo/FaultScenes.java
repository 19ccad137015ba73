package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The only node of a fleet gets stuck for one reason, both say so, and are well again; the fleet is
 * named as the fault.
 */
final class FaultScenes {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private FaultScenes() {}

  /** The scenes of these faults; the node of one is deleted before the next begins. */
  static List<Scene> of(List<Fault> faults) {
    var scenes = new ArrayList<Scene>();
    for (Fault fault : faults) {
      if (!fault.isThereFirst()) {
        scenes.add(healthy(fault));
      }
      scenes.addAll(List.of(begins(fault), isTold(fault), ends(fault)));
      if (faults.size() > 1) {
        scenes.add(goes(fault));
      }
    }
    return List.copyOf(scenes);
  }

  /** The node that a fault happens to. */
  static String node(Fault fault) {
    return fault.name() + "-0";
  }

  /** Prints the time from each fault to the condition that names it. */
  static void print(Terminal terminal, Summary summary, List<Fault> faults) {
    terminal.title("From the fault to the condition Stalled");
    for (Fault fault : faults) {
      String decided =
          fault.deadlineSeconds() == null
              ? "by the evidence"
              : "at the deadline of " + fault.deadlineSeconds() + " s";
      terminal.line(
          "  %-20s %7s   %s"
              .formatted(
                  fault.reason(),
                  summary.took(fault.name()).map(Terminal::seconds).orElse("-"),
                  decided));
    }
    terminal.line("");
    terminal.line(
        "  The deadline is spec.progressDeadlineSeconds, 600 s if unset; these nodes are less"
            + " patient. The simulated kubelet restarts");
    terminal.line("  a crashed container after 0.5 s, 1 s, ...; a real one after 10 s, 20 s, ...");
  }

  private static Scene healthy(Fault fault) {
    return new Scene(
        "node",
        "A fleet of one is applied, and runs.",
        apply(fault),
        Scene.node(node(fault), node -> NodeScenes.runs(node, Fault.IMAGE)),
        LIMIT);
  }

  private static Scene begins(Fault fault) {
    Consumer<Stage> begin =
        stage ->
            stage.simulate(fault.name() + " begins", () -> fault.begin().accept(stage.of(fault)));
    return new Scene(
        fault.name(),
        fault.story(),
        fault.isThereFirst() ? begin.andThen(apply(fault)) : begin,
        Scene.node(node(fault), node -> isStalled(node, fault)),
        LIMIT);
  }

  private static Scene isTold(Fault fault) {
    return new Scene(
        "is told",
        "The fleet, the node, one Event and one series of the metrics say so.",
        stage -> {},
        Scene.fleet(fault.name(), fleet -> isStalled(fleet, fault))
            .and(
                (stage, view) ->
                    stage.eventCount(node(fault), "Stalled") == 1
                        && series(stage, fault).size() == 1),
        LIMIT,
        show(fault));
  }

  private static Scene ends(Fault fault) {
    return new Scene(
        "is over",
        fault.remedy() + " Nothing of it is left but two Events.",
        stage -> stage.simulate(fault.name() + " ends", () -> fault.end().accept(stage.of(fault))),
        Scene.node(node(fault), node -> NodeScenes.runs(node, node.getSpec().image()))
            .and(Scene.fleet(fault.name(), fleet -> fleet.getStatus().phase() == FleetPhase.READY))
            .and(
                (stage, view) ->
                    stage.eventCount(node(fault), "Stalled") == 1
                        && stage.eventCount(node(fault), "Recovered") == 1
                        && series(stage, fault).isEmpty()),
        LIMIT.multipliedBy(2),
        show(fault));
  }

  private static Scene goes(Fault fault) {
    return new Scene(
        "deleted",
        "The fleet is deleted.",
        stage -> {
          stage.kubelet().clearAll();
          stage.kubectl("delete", "snd", fault.name());
        },
        (stage, view) -> !stage.exists(node(fault)),
        // The garbage collector learns of a new resource every half minute.
        LIMIT.multipliedBy(2));
  }

  private static Consumer<Stage> apply(Fault fault) {
    return stage -> stage.apply(fault.fleet(Stage.NAMESPACE, fault.name()));
  }

  private static Consumer<Stage> show(Fault fault) {
    return stage -> {
      stage.show("get", "snd", fault.name(), "-o", "wide");
      stage.showSei("why", "snode/" + node(fault));
      stage.show(
          line -> line.contains("Stalled") || line.contains("Recovered"),
          "get",
          "events",
          "--field-selector",
          "involvedObject.name=" + node(fault),
          "-o",
          "custom-columns=COUNT:.count,REASON:.reason,MESSAGE:.message");
      stage.showLines("curl -s METRICS | grep sei_node_stalled", series(stage, fault));
    };
  }

  private static List<String> series(Stage stage, Fault fault) {
    return stage
        .operator()
        .metrics()
        .lines()
        .filter(line -> line.startsWith("sei_node_stalled{"))
        .filter(line -> line.contains("name=\"" + node(fault) + "\""))
        .toList();
  }

  private static boolean isStalled(SeiNodeDeployment fleet, Fault fault) {
    return fleet
        .getStatus()
        .condition(FleetConditionType.STALLED)
        .filter(Condition::isTrue)
        .filter(stalled -> stalled.reason().equals(fault.reason().toString()))
        .isPresent();
  }

  private static boolean isStalled(SeiNode node, Fault fault) {
    return NodeScenes.says(node, NodeConditionType.STALLED, true, fault.reason().toString());
  }
}
