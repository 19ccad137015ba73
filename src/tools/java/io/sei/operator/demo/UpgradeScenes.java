package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.UpgradeSource;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.testkit.PodFault;
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

  private static final String KEY = "evm.worker_pool_size";

  /** Entries of a user's list, beside the releases that the operator knows. */
  static final String RELEASES =
      """
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: sei-releases, namespace: default}
      data:
        releases.yaml: |
          releases:
          - version: v6.7.0
            source: https://github.com/sei-protocol/sei-chain/releases/tag/v6.7.0
            plan: v6.7
            settings:
            - {in: app.toml, name: %s, change: Required, value: "8"}
      """
          .formatted(KEY);

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
            "refused",
            "Two days ahead: the release does not start without a key that app.toml of no node"
                + " has.",
            stage -> {},
            everyNode(node -> isUpgradesReady(node, NodeReason.CONFIGURATION_REFUSED)),
            LIMIT,
            stage -> stage.showSei("upgrades")),
        new Scene(
            "corrected",
            "The key is set in the fleet. Its nodes get it one after the other, and are prepared.",
            UpgradeScenes::correct,
            everyNode(node -> isUpgradesReady(node, NodeReason.UPGRADES_PREPARED)),
            LIMIT.multipliedBy(2),
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
    stage.kubelet().injectForImage(NodeScenes.FIRST, new PodFault.Answers("keys 0", 0));
    stage.apply(
        "listing-fleet",
        Stage.read(FleetScenes.SAMPLE)
            + """
                  upgradePolicy:
                    imageTemplates: ["ghcr.io/sei-protocol/sei:{name}"]
            """);
  }

  private static void correct(Stage stage) {
    stage.kubelet().clearImage(NodeScenes.FIRST);
    FleetScenes.patch(
        stage,
        "{'spec':{'template':{'spec':{'configValues':[{'fileName':'app.toml','key':'%s','value':8}]}}}}"
            .formatted(KEY));
  }

  private static boolean isUpgradesReady(SeiNode node, NodeReason reason) {
    return Conditions.find(node.getStatus().conditions(), NodeConditionType.UPGRADES_READY)
        .filter(condition -> condition.isFor(reason))
        .isPresent();
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
