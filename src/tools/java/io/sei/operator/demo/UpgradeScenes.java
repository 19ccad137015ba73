package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.UpgradeSource;
import io.sei.operator.api.v1alpha1.UpgradeState;
import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** Scenes of a fleet that lists the upgrades that its chain has planned. */
final class UpgradeScenes {

  private static final String UPGRADE = "v6.7";
  private static final long HEIGHT = 190_000_000;
  private static final String NEXT = NodeScenes.REPOSITORY + UPGRADE + ".0@sha256:";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private UpgradeScenes() {}

  static List<Scene> all() {
    return List.of(
        new Scene(
            "template",
            "A fleet of three says where the images of its chain's upgrades come from, and nothing"
                + " of any upgrade.",
            UpgradeScenes::apply,
            everyNode(node -> NodeScenes.runs(node, NodeScenes.FIRST)),
            LIMIT),
        new Scene(
            "planned",
            "The chain plans an upgrade. Two nodes report it, so it is listed, its image is pulled"
                + " ahead, and its digest recorded.",
            stage ->
                stage.simulate(
                    "the chain plans " + UPGRADE, () -> stage.answers(FleetScenes.nodes())),
            everyNode(node -> isListed(node, UpgradeState.READY)),
            LIMIT,
            stage -> stage.showSei("upgrades")),
        new Scene(
            "applied",
            "The chain halts. Each node goes on with the image that was pulled, without a commit.",
            stage ->
                stage.simulate(
                    "every seid halts for " + UPGRADE,
                    () -> FleetScenes.halt(stage, UPGRADE, HEIGHT)),
            everyNode(node -> isListed(node, UpgradeState.APPLIED) && runsNext(node)),
            LIMIT,
            stage -> stage.showSei("upgrades")));
  }

  private static void apply(Stage stage) {
    stage.plan(FleetScenes.nodes(), UPGRADE, HEIGHT);
    stage.apply(
        "listing-fleet",
        Stage.read(FleetScenes.SAMPLE)
            + """
                  upgradePolicy:
                    imageTemplates: ["ghcr.io/sei-protocol/sei:{name}"]
            """);
  }

  private static boolean isListed(SeiNode node, UpgradeState state) {
    return node.getStatus().upgrades() != null
        && node.getStatus().upgrades().stream()
            .anyMatch(
                upgrade -> upgrade.source() == UpgradeSource.CHAIN && upgrade.state() == state);
  }

  private static boolean runsNext(SeiNode node) {
    String image = node.getStatus().currentImage();
    return image != null && image.startsWith(NEXT) && NodeScenes.isUp(node, image);
  }

  private static BiPredicate<Stage, LiveView> everyNode(Predicate<SeiNode> is) {
    return (stage, view) ->
        FleetScenes.nodes().allMatch(name -> view.node(name).filter(is).isPresent());
  }
}
