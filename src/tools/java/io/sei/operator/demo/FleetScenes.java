package io.sei.operator.demo;

import static io.sei.operator.demo.NodeScenes.FIRST;
import static io.sei.operator.demo.NodeScenes.REPOSITORY;
import static io.sei.operator.demo.NodeScenes.SECOND;
import static io.sei.operator.demo.NodeScenes.THIRD;
import static io.sei.operator.demo.Scene.fleet;

import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.PodFault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Scenes of a fleet of three; each starts where the one before it ended. */
final class FleetScenes {

  private static final String FLEET = "atlantic-fleet";
  private static final int REPLICAS = 3;
  static final Path SAMPLE = Stage.SAMPLES.resolve("seinodedeployment.yaml");
  private static final String TYPO = REPOSITORY + "v6.2.l";
  private static final String ROLLBACK =
      "{'spec':{'updateStrategy':{'inPlace':{'onStall':'Rollback','progressDeadlineSeconds':5}}}}";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private FleetScenes() {}

  static List<Scene> all() {
    return List.of(
        new Scene(
            "fleet",
            "A fleet of three is applied.",
            stage -> stage.apply(SAMPLE),
            runs(FIRST),
            LIMIT),
        new Scene(
            "one by one",
            "A new image: the nodes are healthy, so they roll one by one.",
            stage -> setImage(stage, SECOND),
            runs(SECOND),
            LIMIT),
        new Scene(
            "one wave",
            "The chain halts for the next upgrade. Nobody is healthy, so the new image goes to all"
                + " of them at once.",
            stage -> {
              stage.simulate(
                  "every seid of the fleet halts for v6.2", () -> halt(stage, "v6.2", 190_000_000));
              setImage(stage, THIRD);
            },
            runs(THIRD),
            LIMIT),
        new Scene(
            "held",
            "A tag with a typing error: the first node stalls, the other two are left alone.",
            stage -> {
              stage.simulate(
                  "there is no image " + TYPO,
                  () -> stage.kubelet().injectForImage(TYPO, PodFault.IMAGE_PULL));
              patch(stage, ROLLBACK);
              setImage(stage, TYPO);
            },
            fleet(FLEET, fleet -> says(fleet, FleetConditionType.STALLED, true, "ImagePull"))
                .and(touched(1)),
            LIMIT),
        new Scene(
            "rolled back",
            "onStall is Rollback: past the progress deadline the first node gets back what it had.",
            stage -> {},
            fleet(
                FLEET,
                fleet ->
                    fleet.getStatus().phase() == FleetPhase.DEGRADED
                        && fleet.getStatus().readyReplicas() == REPLICAS
                        && says(
                            fleet, FleetConditionType.ROLLOUT_IN_PROGRESS, false, "RolledBack")),
            LIMIT));
  }

  /** Names of the fleet's pods. */
  static List<String> pods() {
    return nodes().map(node -> node + "-0").toList();
  }

  /** Names of the fleet's nodes. */
  static Stream<String> nodes() {
    return IntStream.range(0, REPLICAS).mapToObj(i -> FLEET + "-" + i);
  }

  static void halt(Stage stage, String upgrade, long height) {
    pods().forEach(pod -> stage.kubelet().halt(Stage.NAMESPACE, pod, upgrade, height));
  }

  private static void setImage(Stage stage, String image) {
    patch(stage, "{'spec':{'template':{'spec':{'image':'%s'}}}}".formatted(image));
  }

  static void patch(Stage stage, String patch) {
    stage.patch("snd", FLEET, patch);
  }

  private static BiPredicate<Stage, LiveView> runs(String image) {
    return fleet(
        FLEET,
        fleet ->
            fleet.getSpec().template().spec().image().equals(image)
                && fleet.getStatus().phase() == FleetPhase.READY
                && fleet.getStatus().nodes().size() == REPLICAS
                && fleet.getStatus().nodes().stream()
                    .allMatch(node -> node.ready() && image.equals(node.currentImage()))
                && says(fleet, FleetConditionType.UP_TO_DATE, true, "UpToDate"));
  }

  /** Exactly so many nodes were given the image that does not exist. */
  private static BiPredicate<Stage, LiveView> touched(int count) {
    return (stage, view) ->
        nodes()
                .flatMap(name -> view.node(name).stream())
                .filter(node -> TYPO.equals(node.getSpec().image()))
                .count()
            == count;
  }

  private static boolean says(
      SeiNodeDeployment fleet, FleetConditionType type, boolean isTrue, String reason) {
    return Scene.says(fleet, fleet.getStatus().conditions(), type, isTrue, reason);
  }
}
