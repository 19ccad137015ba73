package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import io.sei.operator.testkit.machine.UnusableImage;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An upgrade is known, judged and prepared ahead of its height, on a chain that plans it. */
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class PreparedUpgradeOnMachineTest extends MachineTestCase {

  /** Blocks to the upgrade once everything is prepared. */
  private static final int BLOCKS_LEFT = 40;

  private static final String WITNESS = "witness";

  /** The default one cannot restart seid. */
  private static final String LISTS_ITSELF =
      """
        upgradePolicy: {imageTemplates: ["ghcr.io/sei-protocol/sei:{name}"]}
        sidecar: {image: "ghcr.io/sei-protocol/seictl:v0.0.70"}
      """;

  private static final String CORRECTION =
      """
      {"spec":{"configValues":[{"fileName":"config.toml","key":"p2p.lanes","value":4}]}}\
      """;

  private static final Map<UnusableImage, String> PROBLEMS =
      Map.of(
          UnusableImage.NO_SEID, "it has no program seid in its PATH",
          UnusableImage.NO_SHELL, "it has no /bin/bash",
          UnusableImage.OTHER_ARCHITECTURE, "it is built for another architecture",
          UnusableImage.HANGS, "seid version does not end",
          UnusableImage.PRINTS_TEN_MEGABYTES, "seid version prints no version; it prints: xxx");

  /** A second node reports the plan too, and lists images that no node can run. */
  @Test
  void planListsItselfIsRefusedForAKeyThatSeidNeedsAndIsGoneThroughOnceThatIsSet() {
    apply(Manifests.node(NODE, Chain.V7_0_0.image()) + LISTS_ITSELF);
    apply(Manifests.node(WITNESS, Chain.V7_0_0.image()) + "  upgrades: [" + unusable() + "]\n");

    eventually(
        () -> assertThat(condition("UpgradesReady")).isEqualTo("False/ConfigurationRefused"));
    assertThat(message("UpgradesReady"))
        .contains("config.toml lacks p2p.lanes", "set it to 4 in spec.configValues");
    assertThat(status("status.upgrades[0].name")).isEqualTo(Chain.UPGRADE);
    assertThat(status("status.upgrades[0].source")).isEqualTo("Chain");
    assertThat(status("status.upgrades[0].seidVersion")).isEqualTo("v7.1.0");
    String image = status("status.upgrades[0].image");
    assertThat(image).startsWith(Chain.V7_1_0.image() + "@sha256:");

    patch(CORRECTION);

    eventually(() -> assertThat(condition("UpgradesReady")).isEqualTo("True/Prepared"));
    assertThat(status("status.upgrades[0].configuration.state")).isEqualTo("Accepted");
    PROBLEMS.forEach(
        (unusable, problem) ->
            eventually(() -> assertThat(problemOf(unusable)).as(unusable.tag()).contains(problem)));
    assertThat(condition(WITNESS, "UpgradesReady")).startsWith("False/");

    moveUpgradeOf(WITNESS + "-0");
    awaitHeight(POD, moveUpgradeOf(POD) + 1);
    awaitBlocks(image);
    assertThat(status("status.upgrades[0].state")).isEqualTo("Applied");
    eventually(() -> assertThat(condition(WITNESS, "Ready")).isEqualTo("False/HaltedAtUpgrade"));
  }

  /** Brings the height of the plan close to that of the pod's chain, and returns it. */
  private int moveUpgradeOf(String pod) {
    int height = heightNow(pod) + BLOCKS_LEFT;
    String command = "echo %d >/.sei/upgrade-height".formatted(height);
    kubectl("exec", pod, "-c", "seid", "--", "/bin/bash", "-c", command);
    return height;
  }

  private String problemOf(UnusableImage image) {
    String upgrade = "status.upgrades[?(@.name=='" + image.tag() + "')].";
    return field("seinodes", WITNESS, upgrade + "inspectionError")
        + field("seinodes", WITNESS, upgrade + "pullError");
  }

  private static String unusable() {
    return Stream.of(UnusableImage.values())
        .map(
            image ->
                "{name: %s, height: %d, image: \"%s\"}"
                    .formatted(image.tag(), Chain.FAR_HEIGHT + image.ordinal(), image.image()))
        .collect(Collectors.joining(", "));
  }
}
