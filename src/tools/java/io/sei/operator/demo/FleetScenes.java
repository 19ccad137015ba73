package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.PodFault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** What happens to a fleet of three; each scene starts where the one before it ended. */
final class FleetScenes {

  private static final String FLEET = "atlantic-fleet";
  private static final int REPLICAS = 3;
  private static final Path SAMPLE = Path.of("manifests", "samples", "seinodedeployment.yaml");
  private static final String REPOSITORY = "ghcr.io/sei-protocol/sei:";
  private static final String FIRST = REPOSITORY + "v6.4.4";
  private static final String SECOND = REPOSITORY + "v6.5.2";
  private static final String THIRD = REPOSITORY + "v6.6.2";
  private static final String TYPO = REPOSITORY + "v6.2.l";
  private static final String ROLLBACK =
      "{\"spec\":{\"updateStrategy\":{\"inPlace\":{\"onStall\":\"Rollback\","
          + "\"progressDeadlineSeconds\":5}}}}";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private FleetScenes() {}

  static List<Scene> all() {
    return List.of(
        new Scene(
            "fleet",
            "A fleet of three is applied.",
            stage -> stage.kubectl("apply", "-f", SAMPLE.toString()),
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
              stage.simulate("every seid of the fleet halts for v6.2", () -> halt(stage));
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
            fleet(it -> says(it, FleetConditionType.STALLED, true, "ImagePull")).and(touched(1)),
            LIMIT),
        new Scene(
            "rolled back",
            "onStall is Rollback: past the progress deadline the first node gets back what it had.",
            stage -> {},
            fleet(
                it ->
                    it.getStatus().phase() == FleetPhase.DEGRADED
                        && it.getStatus().readyReplicas() == REPLICAS
                        && says(it, FleetConditionType.ROLLOUT_IN_PROGRESS, false, "RolledBack")),
            LIMIT));
  }

  /** Names of the fleet's pods. */
  static List<String> pods() {
    return IntStream.range(0, REPLICAS).mapToObj(i -> FLEET + "-" + i + "-0").toList();
  }

  private static void halt(Stage stage) {
    pods().forEach(pod -> stage.kubelet().halt(Stage.NAMESPACE, pod, "v6.2", 190000000));
  }

  private static void setImage(Stage stage, String image) {
    patch(stage, "{\"spec\":{\"template\":{\"spec\":{\"image\":\"" + image + "\"}}}}");
  }

  private static void patch(Stage stage, String patch) {
    stage.kubectl("patch", "snd", FLEET, "--type=merge", "-p", "'" + patch + "'");
  }

  private static BiPredicate<Stage, LiveView> runs(String image) {
    return fleet(
        it ->
            it.getSpec().template().spec().image().equals(image)
                && it.getStatus().phase() == FleetPhase.READY
                && it.getStatus().nodes().size() == REPLICAS
                && it.getStatus().nodes().stream()
                    .allMatch(node -> node.ready() && image.equals(node.currentImage()))
                && says(it, FleetConditionType.UP_TO_DATE, true, "UpToDate"));
  }

  /** Exactly so many nodes were given the image that does not exist. */
  private static BiPredicate<Stage, LiveView> touched(int count) {
    return (stage, view) ->
        IntStream.range(0, REPLICAS)
                .filter(
                    i ->
                        view.node(FLEET + "-" + i)
                            .filter(node -> TYPO.equals(node.getSpec().image()))
                            .isPresent())
                .count()
            == count;
  }

  private static BiPredicate<Stage, LiveView> fleet(Predicate<SeiNodeDeployment> is) {
    return (stage, view) -> view.fleet(FLEET).filter(is).isPresent();
  }

  private static boolean says(
      SeiNodeDeployment fleet, FleetConditionType type, boolean isTrue, String reason) {
    return Conditions.find(fleet.getStatus().conditions(), type)
        .filter(it -> it.isTrue() == isTrue)
        .filter(it -> it.reason().equals(reason))
        .map(Condition::observedGeneration)
        .filter(fleet.getMetadata().getGeneration()::equals)
        .isPresent();
  }
}
