package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.UpgradeSource;
import io.sei.operator.api.v1alpha1.UpgradeState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What happens to a fleet that lists what its chain has planned. */
final class UpgradeScenes {

  private static final String FLEET = "atlantic-fleet";
  private static final int REPLICAS = 3;
  private static final Path SAMPLE = Path.of("manifests", "samples", "seinodedeployment.yaml");
  private static final Path LISTING = Stage.DIRECTORY.resolve("listing-fleet.yaml");
  private static final String UPGRADE = "v6.7";
  private static final long HEIGHT = 190_000_000;
  private static final String IMAGE = "ghcr.io/sei-protocol/sei:v6.4.4";
  private static final String NEXT = "ghcr.io/sei-protocol/sei:" + UPGRADE + ".0@sha256:";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private UpgradeScenes() {}

  static List<Scene> all() {
    return List.of(
        new Scene(
            "template",
            "A fleet of three says where the images of its chain's upgrades come from, and nothing"
                + " of any upgrade.",
            UpgradeScenes::apply,
            everyNode(it -> NodeScenes.runs(it, IMAGE)),
            LIMIT),
        new Scene(
            "planned",
            "The chain plans an upgrade. Two nodes report it, so it is listed, its image is pulled"
                + " ahead, and its digest recorded.",
            stage -> stage.simulate("the chain plans " + UPGRADE, () -> stage.answers(nodes())),
            everyNode(it -> isListed(it, UpgradeState.READY)),
            LIMIT,
            stage ->
                showNodes(
                    stage,
                    "NODE:.metadata.name,UPGRADE:.status.upgrades[*].name,"
                        + "HEIGHT:.status.upgrades[*].height,STATE:.status.upgrades[*].state")),
        new Scene(
            "applied",
            "The chain halts. Each node goes on with the image that was pulled, without a commit.",
            stage -> stage.simulate("every seid halts for " + UPGRADE, () -> halt(stage)),
            everyNode(it -> isListed(it, UpgradeState.APPLIED) && runsNext(it)),
            LIMIT,
            stage ->
                showNodes(
                    stage, "NODE:.metadata.name,SPEC:.spec.image," + "RUNS:.status.currentImage")));
  }

  private static void showNodes(Stage stage, String columns) {
    stage.show(line -> true, "get", "seinodes", "-o", "custom-columns=" + columns);
  }

  /** Names of the pods that appear. */
  static List<String> pods() {
    return nodes().map(node -> node + "-0").toList();
  }

  private static Stream<String> nodes() {
    return IntStream.range(0, REPLICAS).mapToObj(i -> FLEET + "-" + i);
  }

  private static void apply(Stage stage) {
    stage.plan(nodes(), UPGRADE, HEIGHT);
    try {
      Files.writeString(
          LISTING,
          Files.readString(SAMPLE)
              + """
                    upgradePolicy:
                      imageTemplates: ["ghcr.io/sei-protocol/sei:{name}"]
              """);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    stage.kubectl("apply", "-f", LISTING.toString());
  }

  private static void halt(Stage stage) {
    pods().forEach(pod -> stage.kubelet().halt(Stage.NAMESPACE, pod, UPGRADE, HEIGHT));
  }

  private static boolean isListed(SeiNode node, UpgradeState state) {
    return node.getStatus().upgrades() != null
        && node.getStatus().upgrades().stream()
            .anyMatch(it -> it.source() == UpgradeSource.CHAIN && it.state() == state);
  }

  private static boolean runsNext(SeiNode node) {
    String image = node.getStatus().currentImage();
    return image != null && image.startsWith(NEXT) && NodeScenes.isUp(node, image);
  }

  private static BiPredicate<Stage, LiveView> everyNode(Predicate<SeiNode> is) {
    return (stage, view) -> nodes().allMatch(node -> view.node(node).filter(is).isPresent());
  }
}
