package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Scenes of a fleet of validators that makes a chain of its own, twice. */
final class NetworkScenes {

  private static final String FLEET = "local";
  private static final String RPC = "local-network-rpc";
  private static final int REPLICAS = 4;
  private static final Path SAMPLE = Stage.SAMPLES.resolve("local-network.yaml");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private NetworkScenes() {}

  static List<Scene> all() {
    return List.of(
        new Scene(
            "one manifest",
            "Four validators of a chain that does not exist, and a node for RPC. Keys and genesis"
                + " are made first, then nodes; the one for RPC waits for the genesis.",
            NetworkScenes::make,
            Scene.fleet(FLEET, NetworkScenes::isComplete)
                .and(Scene.node(RPC, node -> NodeScenes.runs(node, NodeScenes.FIRST))),
            LIMIT,
            stage ->
                stage.show(
                    "get",
                    "secrets,configmaps",
                    "-l",
                    "sei.io/nodedeployment=" + FLEET,
                    "-o",
                    "name")),
        new Scene(
            "deleted",
            "The fleet is deleted. Keys, genesis and volumes stay.",
            stage -> stage.kubectl("delete", "snd", FLEET),
            (stage, view) -> nodes().noneMatch(stage::exists),
            LIMIT),
        new Scene(
            "applied again",
            "With every key and volume there it goes on with its chain: nobody makes a second"
                + " genesis.",
            stage -> stage.apply(SAMPLE),
            Scene.fleet(FLEET, NetworkScenes::isComplete),
            LIMIT,
            stage -> stage.show("get", "jobs,snd")));
  }

  /** Names of the pods that appear. */
  static List<String> pods() {
    return Stream.concat(nodes(), Stream.of(RPC)).map(node -> node + "-0").toList();
  }

  private static Stream<String> nodes() {
    return IntStream.range(0, REPLICAS).mapToObj(i -> FLEET + "-" + i);
  }

  private static void make(Stage stage) {
    stage.simulate(
        "seid prints the genesis that it makes of the validators' keys",
        () -> stage.ceremonies(FLEET, "local-2"));
    stage.apply(SAMPLE);
  }

  private static boolean isComplete(SeiNodeDeployment fleet) {
    SeiNodeDeploymentStatus status = fleet.getStatus();
    return status.isTrue(FleetConditionType.GENESIS_CEREMONY_COMPLETE)
        && status.readyReplicas() == REPLICAS;
  }
}
