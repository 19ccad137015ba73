package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetChain;
import io.sei.operator.api.v1alpha1.FleetChain.NextUpgrade;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.fleet.FleetStatus;
import io.sei.operator.fleet.OfflineFleet;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Preparation of a fleet for the upgrades ahead, by the conditions of its nodes. */
class FleetUpgradesTest {

  @Test
  void fleetWhoseNodesHaveNothingAheadHasNoSuchCondition() {
    assertThat(condition(aFleet(2, A).ready())).isEmpty();
  }

  @Test
  void fleetIsAsReadyAsItsNodes() {
    var fleet = aFleet(2, A).child(0, A, says(true, "Prepared")).child(1, A);

    assertThat(condition(fleet))
        .hasValueSatisfying(
            condition -> {
              assertThat(condition.isTrue()).isTrue();
              assertThat(condition.reason()).isEqualTo("Prepared");
            });
  }

  @Test
  void nodeThatIsNotPreparedIsNamed() {
    var fleet =
        aFleet(2, A).child(0, A, says(true, "Prepared")).child(1, A, says(false, "ImagePull"));

    assertThat(condition(fleet))
        .hasValueSatisfying(
            condition -> {
              assertThat(condition.isTrue()).isFalse();
              assertThat(condition.reason()).isEqualTo("ImagePull");
              assertThat(condition.message()).isEqualTo("fleet-1: message");
            });
  }

  @ParameterizedTest(name = "planned {0}, listed {1}: {2}")
  @CsvSource(
      nullValues = "-",
      value = {
        "-,  -,  -",
        "v2, -,  v2",
        "-,  v3, v3",
        "v2, v3, v2",
        "-,  v0, -",
      })
  void theNextUpgradeIsThePlanOfTheChainOrElseTheFirstListedAboveItsHeight(
      String planned, String listed, String next) {
    FleetPass pass =
        kept(
            heard(50, planned == null ? null : new UpgradePlan(planned, 300, true)),
            listed == null
                ? null
                : new Upgrade(listed, listed.equals("v0") ? 50L : 200L, "i", null));

    assertThat(Optional.ofNullable(pass.draft().chain().nextUpgrade()).map(NextUpgrade::name))
        .isEqualTo(Optional.ofNullable(next));
  }

  @Test
  void onlyShortlyBeforeAnUpgradeTheFleetLooksAtTheChainAgainByItself() {
    assertThat(kept(heard(50, new UpgradePlan("v2", 1_000, true)), null).recheck())
        .contains(FleetChain.INTERVAL);
    assertThat(kept(heard(50, new UpgradePlan("v2", 1_000_000, true)), null).recheck()).isEmpty();
    assertThat(kept(heard(50, null), null).recheck()).isEmpty();
    assertThat(kept(null, null).draft().chain()).isNull();
  }

  @Test
  void chainIsReportedWithItsRate() {
    assertThat(kept(heard(50, new UpgradePlan("v2", 1_000, true)), null).draft().chain())
        .isEqualTo(new FleetChain(50L, NodeSample.NOW, "2.50", new NextUpgrade("v2", 1_000L)));
  }

  /** Its image cannot run before the height, and nodes know nothing of the fleet's entry. */
  @Test
  void earlyEntryOfAnUpgradeThatIsNoMinorReleaseIsNamed() {
    Upgrade early = new Upgrade("v2", 100L, "sei:v2", true);
    FleetSample fleet =
        aFleet(1, A)
            .template(spec -> spec.withUpgrades(List.of(early)))
            .child(0, A, says(true, "Prepared"));

    assertThat(condition(fleet, heard(50, new UpgradePlan("v2", 100, false))))
        .hasValueSatisfying(
            condition -> {
              assertThat(condition.isTrue()).isFalse();
              assertThat(condition.reason()).isEqualTo("NotMinor");
              assertThat(condition.message())
                  .isEqualTo(
                      "the chain does not plan upgrade \"v2\" as a minor release: its image cannot"
                          + " run before height 100; remove early from its entry in spec.upgrades");
            });
  }

  @Test
  void earlyUpgradeNamesWhatItWaitsFor() {
    FleetSample fleet =
        aFleet(2, A)
            .template(spec -> spec.withUpgrades(List.of(new Upgrade("v2", 100L, "sei:v2", true))))
            .child(0, A, node -> node.unready("PodNotReady"))
            .child(1, A, says(true, "UpgradesReady"));

    assertThat(condition(fleet).orElseThrow().message())
        .endsWith(
            "; upgrade \"v2\" waits: no node reports that the chain plans it as a minor release");
    assertThat(
            condition(fleet, heard(50, new UpgradePlan("v2", 100, true))).orElseThrow().message())
        .endsWith("; upgrade \"v2\" waits: maxUnavailable 1 is used up by: fleet-0");
  }

  /** A node that is admitted before would use the budget until the chain plans the upgrade. */
  @ParameterizedTest(name = "planned {0}: {1}")
  @CsvSource(
      nullValues = "-",
      value = {"v2, 1", "v2 major, ''", "v3, ''", "-, ''", "not known, '0 1'"})
  void nodesAreAdmittedToAnEarlyEntryThatTheChainPlans(String planned, String admitted) {
    Upgrade early = new Upgrade("v2", 100L, "sei:v2", true);
    FleetPass pass =
        aFleet(2, A)
            .template(spec -> spec.withUpgrades(List.of(early)))
            .child(0, A, node -> "not known".equals(planned) ? node.upgrades(early) : node)
            .child(1, A, node -> node.upgrades(early))
            .pass();
    UpgradePlan plan =
        planned == null
            ? null
            : new UpgradePlan(planned.split(" ")[0], 100, !planned.endsWith("major"));
    ChainState heard = "not known".equals(planned) ? null : heard(50, plan);

    var given = new FleetUpgrades((namespace, chain) -> Optional.ofNullable(heard)).child(pass);

    assertThat(
            IntStream.range(0, 2)
                .filter(
                    ordinal ->
                        given
                            .apply(pass.view().template(), ordinal)
                            .spec()
                            .upgrades()
                            .contains(early))
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(" ")))
        .isEqualTo(admitted);
  }

  /** A chain that makes five blocks in two seconds. */
  private static ChainState heard(long height, UpgradePlan plan) {
    return ChainState.of(answer(height - 10, NodeSample.NOW.minusSeconds(4), plan))
        .heard(answer(height, NodeSample.NOW, plan), false);
  }

  private static ChainAnswer answer(long height, Instant time, UpgradePlan plan) {
    return new ChainAnswer(new ChainHead("chain", height, time), Optional.ofNullable(plan));
  }

  private static FleetPass kept(ChainState heard, Upgrade listed) {
    var pass =
        aFleet(1, A)
            .spec(
                spec ->
                    spec.withTemplate(
                        spec.template()
                            .withSpec(
                                spec.template()
                                    .spec()
                                    .withUpgrades(listed == null ? null : List.of(listed)))))
            .pass();
    new FleetUpgrades((namespace, chain) -> Optional.ofNullable(heard)).keep(pass);
    return pass;
  }

  private static Optional<Condition> condition(FleetSample fleet) {
    return Conditions.find(
        FleetStatus.of(fleet.pass(), OfflineFleet.CONDITIONS).conditions(),
        FleetConditionType.UPGRADES_READY);
  }

  private static Optional<Condition> condition(FleetSample fleet, ChainState heard) {
    var features =
        FleetFeature.conditionsOf(
            List.of(new FleetUpgrades((namespace, chain) -> Optional.of(heard))));
    return Conditions.find(
        FleetStatus.of(fleet.pass(), features).conditions(), FleetConditionType.UPGRADES_READY);
  }

  private static UnaryOperator<NodeSample> says(boolean ready, String reason) {
    return node -> node.condition(NodeConditionType.UPGRADES_READY, ready, reason, Instant.EPOCH);
  }
}
