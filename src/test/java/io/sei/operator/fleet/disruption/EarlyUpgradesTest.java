package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetNodeSample.fleetNodes;
import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.RolloutSample.aRollout;
import static io.sei.operator.testkit.samples.RolloutSample.limits;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.Progress;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decides on a fleet of three whose template lists v2 early; letters tell the nodes apart. */
class EarlyUpgradesTest {

  private static final Upgrade V2 = new Upgrade("v2", 100L, "sei:v2", true);
  private static final Upgrade V3 = new Upgrade("v3", 200L, "sei:v3", true);

  private static final Map<String, UnaryOperator<NodeSample>> WORDS =
      Map.of(
          "admitted",
          node -> node.upgrades(V2),
          "applied",
          node -> recorded(node, UpgradeState.APPLIED),
          "passed",
          EarlyUpgradesTest::passed,
          "scheduled",
          node -> recorded(node, UpgradeState.SCHEDULED),
          "recovering",
          EarlyUpgradesTest::recovering,
          "readyForNineSeconds",
          EarlyUpgradesTest::readyForNineSeconds);

  @ParameterizedTest(name = "{0}: {1}, {2} at once: {3}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          the highest ordinal first | ready, ready, ready | 1 | 2
          as many as may be unavailable | ready, ready, ready | 2 | 1 2
          no other before it is through | ready, ready, admitted | 1 | 2
          while it switches | ready, ready, unready:Replacing applied admitted | 1 | 2
          while it may yet crash | ready, ready, readyForNineSeconds applied admitted | 1 | 2
          and then the next | ready, ready, applied admitted | 1 | 1 2
          none while another node is down | unready, ready, ready | 1 | ''
          two may be down and one is | unready, ready, ready | 2 | 2
          a node that is outdated waits | ready, ready, outdated | 1 | 1
          all of them at last | applied admitted, applied admitted, applied admitted | 1 | 0 1 2
          none after one that came too early | ready, ready, scheduled admitted | 1 | ''
          a paused node uses no budget | ready, ready, paused | 1 | 1
          nor does a held one | ready, ready, held | 1 | 1
          a node that never was Ready is down | ready, ready, neverReady | 1 | ''
          and so is one that is being deleted | ready, ready, terminating | 1 | ''
          the last Ready node is left alone | ready, paused, paused | 3 | ''
          in a fleet with another budget too | ready, unready, ready | 3 | 2
          a paused node holds nothing up | applied admitted, applied admitted, paused | 1 | 0 1 2
          """)
  void nodesAreAdmittedWithinTheBudget(String why, String nodes, int atOnce, String admitted) {
    assertThat(admitted(fleet(nodes, atOnce).view(), V2)).as(why).isEqualTo(admitted);
  }

  @Test
  void pausedRolloutsAdmitNoNodeAndTakeBackWhatHasNotSwitched() {
    FleetSample paused =
        fleet("applied admitted, admitted, ready", 1)
            .spec(
                spec ->
                    spec.withUpdateStrategy(
                        new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, null, true)));

    assertThat(admitted(paused.view(), V2)).isEqualTo("0");
  }

  @Test
  void rolloutTakesBackWhatHasNotSwitched() {
    FleetSample rolling =
        fleet("unready:Replacing applied admitted, admitted, ready", 1)
            .status(status -> status.withRollout(aRollout(3)));

    assertThat(admitted(rolling.view(), V2)).isEqualTo("0");
  }

  @Test
  void nodesBelowThePartitionAreLeftAlone() {
    FleetSample partitioned =
        fleet("ready, ready, applied admitted", 1)
            .spec(
                spec ->
                    spec.withUpdateStrategy(
                        new UpdateStrategy(
                            UpdateStrategy.Type.IN_PLACE,
                            new InPlace(null, 2, null, null, null),
                            null)));

    assertThat(admitted(partitioned.view(), V2)).isEqualTo("2");
  }

  @Test
  void nextEntryWaitsForTheOneBefore() {
    assertThat(admitted(fleet("ready, ready, applied admitted", 1).view(), V3)).isEmpty();
    assertThat(
            admitted(fleet("applied admitted, applied admitted, applied admitted", 1).view(), V3))
        .isEqualTo("2");
    assertThat(admitted(fleet("applied admitted, applied admitted, paused", 1).view(), V3))
        .as("a node that is paused gets the entry before once it is not")
        .isEqualTo("1");
    for (String suspended : List.of("paused", "held")) {
      assertThat(
              admitted(
                  fleet("applied admitted, applied admitted, admitted " + suspended, 1).view(), V3))
          .as("also one that is %s after it was admitted", suspended)
          .isEqualTo("1");
    }
  }

  @ParameterizedTest
  @CsvSource({"paused, is paused", "held, is held"})
  void nextNodeWaitsForOneThatStalledWithTheImageAndIsPausedOrHeldSince(
      String suspended, String state) {
    FleetView stalled = fleet("ready, ready, recovering applied admitted " + suspended, 2).view();
    FleetView well = fleet("ready, ready, applied admitted " + suspended, 1).view();
    FleetView before = fleet("ready, ready, recovering admitted " + suspended, 1).view();

    assertThat(admitted(stalled, V2)).isEqualTo("2");
    assertThat(EarlyUpgrades.of(stalled, any -> Optional.of(true)).obstacle())
        .contains("upgrade \"v2\" waits: fleet-2 stalled with its image, and " + state);
    assertThat(admitted(well, V2)).as("was Ready with the image").isEqualTo("1 2");
    assertThat(admitted(before, V2)).as("stalled without the image").isEqualTo("1 2");
  }

  @Test
  void missingPlanIsNamed() {
    FleetView fleet = fleet("ready, ready, ready", 1).view();

    for (var planned : List.of(Optional.of(false), Optional.<Boolean>empty())) {
      assertThat(EarlyUpgrades.of(fleet, any -> planned).obstacle())
          .contains(
              "upgrade \"v2\" waits: no node reports that the chain plans it as a minor release");
    }
  }

  /** Its name may be wrong, or the vote have failed. */
  @Test
  void entryThatEveryNodeHasPassedIsTakenBackAndDelaysNoLaterOne() {
    FleetView passed = fleet("passed, passed, passed admitted", 1).view();
    FleetView since = fleet("passed, passed, passed", 1).view();

    assertThat(admitted(passed, V2)).isEmpty();
    assertThat(admitted(since, V2)).isEmpty();
    assertThat(admitted(since, V3)).isEqualTo("2");
    assertThat(admitted(fleet("passed, ready, passed", 1).view(), V3))
        .as("a node has yet to pass it")
        .isEmpty();
  }

  @Test
  void lastEntryIsTakenBackTooOnceItIsPassed() {
    FleetView fleet =
        fleet("passed, passed, passed admitted", 1)
            .template(spec -> spec.withUpgrades(List.of(V2)))
            .view();

    assertThat(admitted(fleet, V2)).isEmpty();
  }

  @Test
  void restOfTheTemplateIsGivenAsItIs() {
    FleetView fleet = fleet("ready, ready, ready", 1).view();
    NodeTemplate given =
        EarlyUpgrades.of(fleet, entry -> Optional.of(true)).restrict(fleet.template(), 0);

    assertThat(given.spec().upgrades()).extracting(Upgrade::name).containsExactly("v3", "v2");
    assertThat(given.withSpec(given.spec().withUpgrades(null)))
        .isEqualTo(fleet.template().withSpec(fleet.template().spec().withUpgrades(null)));
  }

  /** A rollout must not take another node down while one switches. */
  @Test
  void nodeThatSwitchesIsPartOfTheBudgetOfARollout() {
    List<FleetNode> nodes = fleetNodes("old, switching old");

    assertThat(RolloutPolicy.decide(aRollout(2), nodes, limits(1), NodeSample.NOW).admit())
        .isEmpty();
  }

  @Test
  void nodesKeepTheEntryAndNoOtherGetsItBeforeAnythingWasHeardOfTheChain() {
    FleetView fleet = fleet("ready, ready, admitted", 3).view();

    assertThat(admitted(fleet, V2, Optional.of(true))).isEqualTo("1 2");
    assertThat(admitted(fleet, V2, Optional.empty())).isEqualTo("2");
    assertThat(admitted(fleet, V2, Optional.of(false))).isEmpty();
  }

  private static String admitted(FleetView fleet, Upgrade entry) {
    return admitted(fleet, entry, Optional.of(true));
  }

  private static String admitted(FleetView fleet, Upgrade entry, Optional<Boolean> planned) {
    EarlyUpgrades early = EarlyUpgrades.of(fleet, any -> planned);
    return IntStream.range(0, 3)
        .filter(
            ordinal -> early.restrict(fleet.template(), ordinal).spec().upgrades().contains(entry))
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(" "));
  }

  private static FleetSample fleet(String nodes, int atOnce) {
    return aFleet(3, A)
        .spec(spec -> spec.withUpdateStrategy(atOnce(atOnce)))
        .template(spec -> spec.withUpgrades(List.of(V3, V2)))
        .children(A, nodes, WORDS);
  }

  private static UpdateStrategy atOnce(int maxUnavailable) {
    return new UpdateStrategy(
        UpdateStrategy.Type.IN_PLACE,
        new InPlace(new IntOrString(maxUnavailable), null, null, null, null),
        null);
  }

  @Test
  void nodeThatMayYetCrashIsLookedAtAgain() {
    assertThat(
            EarlyUpgrades.of(
                    fleet("ready, ready, readyForNineSeconds applied admitted", 1).view(),
                    entry -> Optional.of(true))
                .recheck())
        .contains(Duration.ofSeconds(1));
    assertThat(
            EarlyUpgrades.of(
                    fleet("ready, ready, applied admitted", 1).view(), entry -> Optional.of(true))
                .recheck())
        .isEmpty();
  }

  private static NodeSample readyForNineSeconds(NodeSample node) {
    Instant since = NodeSample.NOW.minusSeconds(9);
    SeidRun run =
        SeidRun.nothing().with(seid -> seid.containerID("run-2").readyAt(since).caughtUpAt(since));
    return node.status(status -> status.withSeid(run));
  }

  private static NodeSample recovering(NodeSample node) {
    return node.status(status -> status.withProgress(new Progress(null, Instant.EPOCH, true)));
  }

  private static NodeSample passed(NodeSample node) {
    UpgradeStatus record = UpgradeStatus.scheduled(V2).withState(UpgradeState.PASSED);
    return node.status(status -> status.withUpgrades(List.of(record)));
  }

  private static NodeSample recorded(NodeSample node, UpgradeState state) {
    UpgradeStatus record = UpgradeStatus.scheduled(V2).withState(state).withEvidence("evidence");
    return node.status(status -> status.withUpgrades(List.of(record)));
  }
}
