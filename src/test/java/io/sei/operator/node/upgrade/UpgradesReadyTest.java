package io.sei.operator.node.upgrade;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeConfiguration;
import io.sei.operator.api.v1alpha1.UpgradeConfiguration.State;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.LogAccess;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.status.NodeEvents;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UpgradesReadyTest {

  private static final String MACHINE = "m1";
  private static final LogAccess REFUSED = LogAccess.refused("pods \"node-0\" is forbidden");
  private static final UpgradeStatus V2 =
      UpgradeStatus.scheduled(new Upgrade("v2", 100L, "sei:v2", null));
  private static final UpgradeStatus V3 =
      UpgradeStatus.scheduled(new Upgrade("v3", 200L, "sei:v3", null));
  private static final UpgradeStatus PULLED = V2.pulled("sei@sha256:1", MACHINE, NOW).on(MACHINE);
  private static final UpgradeStatus INSPECTED = PULLED.inspected("v2.0.0", null);
  private static final UpgradeStatus UNUSABLE = PULLED.inspected(null, "it has no program seid");
  private static final UpgradeStatus MOCK = PULLED.inspected("mock_balances", null);
  private static final UpgradeStatus V68 =
      UpgradeStatus.scheduled(new Upgrade("v6.8", 100L, "sei:v6.8.0", null));
  private static final UpgradeStatus V67 = V68.withImage("sei:v6.7.4");
  private static final UpgradeStatus V9 = V68.inspected("v9.9.9", null);
  private static final UpgradeStatus MOVED = PULLED.pulled("sei@sha256:2", MACHINE, NOW);
  private static final UpgradeStatus FAILED = V2.notPulled("not found; check the image", NOW);

  static Stream<Arguments> rows() {
    return Stream.of(
        row("none listed", LogAccess.GRANTED, "none"),
        row("listed", LogAccess.GRANTED, "True/Scheduled", V2, V3),
        row("one pulled", LogAccess.GRANTED, "True/Scheduled", PULLED, V3),
        row("all pulled", LogAccess.GRANTED, "True/Prepared", PULLED),
        row("not asked for logs", LogAccess.UNKNOWN, "True/Prepared", PULLED),
        row("pod on another machine", LogAccess.GRANTED, "True/Scheduled", PULLED.on("m2")),
        row("failed", LogAccess.GRANTED, "False/ImagePull", FAILED, V3),
        row("pulled again in vain", LogAccess.GRANTED, "False/ImagePull", again(PULLED)),
        row("inspected", LogAccess.GRANTED, "True/Prepared", INSPECTED),
        row("no seid in it", LogAccess.GRANTED, "False/ImageUnusable", UNUSABLE),
        row("pull before inspection", LogAccess.GRANTED, "False/ImagePull", UNUSABLE, again(V3)),
        row("inspection before logs", REFUSED, "False/ImageUnusable", UNUSABLE),
        row("forbidden", LogAccess.GRANTED, "False/ImageForbidden", V2.withImage("sei:mock_chain")),
        row("forbidden by what is in it", LogAccess.GRANTED, "False/ImageForbidden", MOCK),
        row("of another plan by its tag", LogAccess.GRANTED, "False/ImageMismatch", V67),
        row(
            "of another plan",
            LogAccess.GRANTED,
            "False/ImageMismatch",
            V68.inspected("v6.7.4", null)),
        row("of this plan", LogAccess.GRANTED, "True/Scheduled", V68),
        row(
            "found to be of it",
            LogAccess.GRANTED,
            "True/Scheduled",
            V67.inspected("v6.8.0", null)),
        row("of a version that is not known", LogAccess.GRANTED, "True/Scheduled", V9),
        row("files accepted", LogAccess.GRANTED, "True/Prepared", files(State.ACCEPTED)),
        row("files left out", LogAccess.GRANTED, "True/Prepared", files(State.UNCHECKED)),
        row(
            "file missing",
            LogAccess.GRANTED,
            "False/ConfigFileMissing",
            files(State.FILE_MISSING)),
        row("key refused", LogAccess.GRANTED, "False/ConfigurationRefused", files(State.REFUSED)),
        row("logs", REFUSED, "False/LogsForbidden", PULLED),
        row("image before logs", REFUSED, "False/ImagePull", FAILED),
        row("no upgrade, no logs", REFUSED, "none"),
        row("applied", REFUSED, "none", V2.withState(UpgradeState.APPLIED)));
  }

  @ParameterizedTest(name = "{0}: {2}")
  @MethodSource("rows")
  void conditionFollowsAccessAndPulls(
      String row, LogAccess access, String expected, List<UpgradeStatus> upgrades) {
    NodePass pass = reconcile(status(upgrades), access);

    assertThat(
            condition(pass)
                .map(condition -> condition.status() + "/" + condition.reason())
                .orElse("none"))
        .isEqualTo(expected);
  }

  @Test
  void refusalOfLogsStaysUntilItIsKnownToBeOver() {
    SeiNodeStatus refused = reconcile(status(List.of(PULLED)), REFUSED).draft();

    SeiNodeStatus restarted = reconcile(refused, LogAccess.UNKNOWN).draft();

    assertThat(restarted).isEqualTo(refused);
    assertThat(condition(reconcile(restarted, LogAccess.GRANTED)))
        .map(Condition::reason)
        .contains("Prepared");
  }

  @Test
  void messagesNameImageAndCauseAndNoTime() {
    assertThat(message(FAILED))
        .isEqualTo(
            "image sei:v2 of upgrade \"v2\" cannot be pulled ahead: not found; check the image");
    assertThat(message(INSPECTED))
        .isEqualTo(
            "listed, and the image is on its Kubernetes node: upgrade \"v2\" at height 100 with"
                + " seid v2.0.0, which no list of releases has");
    assertThat(message(UNUSABLE))
        .isEqualTo("image sei:v2 of upgrade \"v2\" cannot be used: it has no program seid");
    assertThat(message(V67))
        .isEqualTo(
            "image sei:v6.7.4 has seid v6.7.4, which is for upgrade \"v6.7\" and not for \"v6.8\";"
                + " list an image for \"v6.8\", such as seid v6.8.0");
    assertThat(message(MOCK.withImage("sei:mock_chain")))
        .isEqualTo(
            "image sei:mock_chain of upgrade \"v2\" must not run: it is a build for load tests,"
                + " which skips validation; list another image");
    assertThat(message(FAILED))
        .as("a later failure for the same reason")
        .isEqualTo(message(FAILED.withPullFailedAt(NOW.plusSeconds(600))));
    assertThat(message(MOVED))
        .contains("the tag of image sei:v2 of upgrade \"v2\" was moved")
        .doesNotContain("sha256");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("events")
  void tellsOnce(String event, UpgradeStatus before, UpgradeStatus after) {
    SeiNodeStatus was = status(List.of(before));
    SeiNodeStatus now = status(List.of(after));

    assertThat(NodeEvents.between(was, now, OfflineNode.CONDITIONS))
        .extracting(ObjectEvent::reason)
        .containsExactly(event);
    assertThat(NodeEvents.between(now, now, OfflineNode.CONDITIONS)).isEmpty();
  }

  static Stream<Arguments> events() {
    return Stream.of(
        Arguments.of("UpgradePrepared", V2, PULLED),
        Arguments.of("UpgradePrepared", PULLED.on("m2"), PULLED),
        Arguments.of("UpgradeImagePull", V2, FAILED),
        Arguments.of("UpgradeImagePull", FAILED, FAILED.withImage("sei:corrected")),
        Arguments.of("UpgradeImageChanged", PULLED, MOVED));
  }

  @Test
  void secondFailureIsNoNews() {
    assertThat(
            NodeEvents.between(
                status(List.of(FAILED)),
                status(List.of(FAILED.notPulled("other words", NOW))),
                OfflineNode.CONDITIONS))
        .isEmpty();
  }

  private static UpgradeStatus files(State state) {
    return PULLED.withConfiguration(new UpgradeConfiguration(state, "app.toml has evm.old", NOW));
  }

  private static UpgradeStatus again(UpgradeStatus upgrade) {
    return upgrade.notPulled("the registry is down", NOW);
  }

  private static String message(UpgradeStatus upgrade) {
    return condition(reconcile(status(List.of(upgrade)), LogAccess.GRANTED))
        .orElseThrow()
        .message();
  }

  private static SeiNodeStatus status(List<UpgradeStatus> upgrades) {
    return aNode("sei:a").running().status().withUpgrades(upgrades);
  }

  private static NodePass reconcile(SeiNodeStatus status, LogAccess access) {
    var pass = aNode("sei:a").status(status).pass();
    pass.logAccess(access);
    UpgradesReady.derive(pass, Optional.empty(), ReleaseReader.builtIn(), Optional.empty());
    return pass;
  }

  private static Optional<Condition> condition(NodePass pass) {
    return Conditions.find(pass.draft().conditions(), NodeConditionType.UPGRADES_READY);
  }

  private static Arguments row(
      String name, LogAccess access, String expected, UpgradeStatus... upgrades) {
    return Arguments.of(name, access, expected, List.of(upgrades));
  }
}
