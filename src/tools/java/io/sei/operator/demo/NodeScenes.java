package io.sei.operator.demo;

import static io.sei.operator.demo.Scene.node;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.testkit.PodFault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/** Scenes of a single node; each starts where the one before it ended. */
final class NodeScenes {

  static final String NODE = "atlantic";
  static final String POD = NODE + "-0";

  static final String REPOSITORY = "ghcr.io/sei-protocol/sei:";
  static final String FIRST = REPOSITORY + "v6.4.4";
  static final String SECOND = REPOSITORY + "v6.5.2";
  static final String THIRD = REPOSITORY + "v6.6.2";
  private static final String TYPO = REPOSITORY + "v6.l.1";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private NodeScenes() {}

  static List<Scene> all() {
    return Stream.concat(upgrade().stream(), mistakes().stream()).toList();
  }

  private static List<Scene> upgrade() {
    return List.of(
        new Scene(
            "from nothing",
            "A node is applied: volume, StatefulSet and Service are made, its sidecar is told to"
                + " go.",
            stage -> stage.apply(Stage.SAMPLES.resolve("seinode.yaml")),
            runs(FIRST),
            LIMIT.multipliedBy(2)),
        new Scene(
            "upgrade listed",
            "An upgrade that the chain has planned is listed, days ahead. Nothing restarts.",
            NodeScenes::listUpgrade,
            node(NODE, node -> runs(node, FIRST) && upgrade(node) == UpgradeState.SCHEDULED),
            LIMIT),
        new Scene(
            "upgrade at night",
            "The chain reaches the height: seid stops, on purpose. Nobody is there, and the node"
                + " goes on with the listed image.",
            stage -> halt(stage, "v6.5", 187500000),
            node(
                NODE,
                node ->
                    node.getSpec().image().equals(FIRST)
                        && isUp(node, SECOND)
                        && upgrade(node) == UpgradeState.APPLIED),
            LIMIT),
        new Scene(
            "chain halts",
            "The chain reaches the height of an upgrade that nobody has listed. The node is not"
                + " Ready, and not stalled.",
            stage -> halt(stage, "v6.2", 188000000),
            node(
                NODE,
                node ->
                    says(node, NodeConditionType.READY, false, "HaltedAtUpgrade")
                        && !node.getStatus().isTrue(NodeConditionType.STALLED)),
            LIMIT),
        new Scene(
            "upgrade by hand",
            "The image is bumped. By default a RollingUpdate never gets past the halted pod; the"
                + " operator replaces it.",
            stage -> setImage(stage, THIRD),
            runs(THIRD),
            LIMIT),
        new Scene(
            "roll back",
            "Back to the image before (the halt is over): a template that was there before is a new"
                + " rollout like any other.",
            stage -> {
              stage.simulate(
                  "the chain runs on", () -> stage.kubelet().clear(Stage.NAMESPACE, POD));
              setImage(stage, SECOND);
            },
            runs(SECOND),
            LIMIT));
  }

  private static List<Scene> mistakes() {
    return List.of(
        new Scene(
            "bad image",
            "A tag with a typing error: the node says so at once.",
            stage -> {
              stage.simulate(
                  "there is no image " + TYPO,
                  () -> stage.kubelet().injectForImage(TYPO, PodFault.IMAGE_PULL));
              setImage(stage, TYPO);
            },
            node(NODE, node -> says(node, NodeConditionType.STALLED, true, "ImagePull")),
            LIMIT),
        new Scene(
            "reverted",
            "The edit is taken back: a plan can be replaced at any task.",
            stage -> setImage(stage, SECOND),
            runs(SECOND),
            LIMIT),
        new Scene(
            "paused",
            "The node is paused: the pod goes, the volume stays.",
            stage -> stage.sei("pause", NODE, "--stop"),
            node(
                    NODE,
                    node ->
                        says(node, NodeConditionType.PAUSED, true, "Paused")
                            && says(node, NodeConditionType.READY, false, "Paused"))
                .and((stage, view) -> stage.pod(POD).isEmpty()),
            LIMIT),
        new Scene(
            "resumed", "And resumed.", stage -> stage.sei("resume", NODE), runs(SECOND), LIMIT),
        new Scene(
            "in place",
            "Updates in place are asked for, and the image is bumped: the pod stays, with its uid,"
                + " its address and its sidecar.",
            stage -> {
              showPod(stage);
              patch(
                  stage,
                  "{'spec':{'image':'%s','updatePolicy':{'pod':'InPlaceIfPossible'}}}"
                      .formatted(THIRD));
            },
            runs(THIRD).and(NodeScenes::isPodKept),
            LIMIT,
            NodeScenes::showPod));
  }

  private static boolean isPodKept(Stage stage, LiveView view) {
    Optional<PodUpdate> update = view.node(NODE).map(node -> node.getStatus().podUpdate());
    return update
        .filter(podUpdate -> podUpdate.how() == PodUpdate.How.IN_PLACE)
        .map(PodUpdate::podUid)
        .equals(stage.pod(POD).map(pod -> pod.getMetadata().getUid()));
  }

  private static void showPod(Stage stage) {
    stage.show(
        "get",
        "pod",
        POD,
        "-o",
        "custom-columns=UID:.metadata.uid,ADDRESS:.status.podIP,"
            + "IMAGE:.spec.containers[0].image,"
            + "RESTARTS:.status.containerStatuses[?(@.name=='seid')].restartCount");
  }

  private static void listUpgrade(Stage stage) {
    patch(
        stage,
        "{'spec':{'upgrades':[{'name':'v6.5','height':187500000,'image':'%s'}]}}"
            .formatted(SECOND));
  }

  private static void halt(Stage stage, String upgrade, long height) {
    stage.simulate(
        "seid panics with UPGRADE \"%s\" NEEDED at height: %d".formatted(upgrade, height),
        () -> stage.kubelet().halt(Stage.NAMESPACE, POD, upgrade, height));
  }

  private static UpgradeState upgrade(SeiNode node) {
    List<UpgradeStatus> upgrades = node.getStatus().upgrades();
    return upgrades == null ? null : upgrades.get(0).state();
  }

  private static void setImage(Stage stage, String image) {
    patch(stage, "{'spec':{'image':'%s'}}".formatted(image));
  }

  private static void patch(Stage stage, String patch) {
    stage.patch("seinode", NODE, patch);
  }

  /** The node runs this image, is Ready and up to date, and has no fault. */
  private static BiPredicate<Stage, LiveView> runs(String image) {
    return node(NODE, node -> runs(node, image));
  }

  /** Returns whether a node runs this image, is Ready and up to date, and nothing is wrong. */
  static boolean runs(SeiNode node, String image) {
    return node.getSpec().image().equals(image) && isUp(node, image);
  }

  /** Returns whether a node serves on an image, whatever its spec names. */
  static boolean isUp(SeiNode node, String image) {
    return node.getStatus().phase() == NodePhase.RUNNING
        && image.equals(node.getStatus().currentImage())
        && says(node, NodeConditionType.UP_TO_DATE, true, "UpToDate")
        && says(node, NodeConditionType.READY, true, "PodReady")
        && says(node, NodeConditionType.PAUSED, false, "NotPaused")
        && says(node, NodeConditionType.STALLED, false, "NotStalled");
  }

  /** A condition that was computed from an older spec says nothing about this one. */
  static boolean says(SeiNode node, NodeConditionType type, boolean isTrue, String reason) {
    return Scene.says(node, node.getStatus().conditions(), type, isTrue, reason);
  }
}
