package io.sei.operator.fleet.upgrades;

import static io.sei.operator.fleet.SnapshotBuilder.A;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetChain;
import io.sei.operator.api.v1alpha1.FleetChain.NextUpgrade;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.SnapshotBuilder;
import io.sei.operator.fleet.model.FleetPass;
import io.sei.operator.fleet.status.FleetStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a fleet is prepared for the upgrades ahead, by what its nodes say. */
class FleetUpgradesTest {

  @Test
  void fleetWhoseNodesHaveNothingAheadHasNoSuchCondition() {
    assertThat(condition(new SnapshotBuilder(2, A).child(0, A).child(1, A))).isEmpty();
  }

  @Test
  void fleetIsAsReadyAsItsNodes() {
    var fleet = new SnapshotBuilder(2, A).child(0, A, says(true, "Prepared")).child(1, A);

    assertThat(condition(fleet))
        .hasValueSatisfying(
            it -> {
              assertThat(it.isTrue()).isTrue();
              assertThat(it.reason()).isEqualTo("Prepared");
            });
  }

  @Test
  void nodeThatIsNotPreparedIsNamed() {
    var fleet =
        new SnapshotBuilder(2, A)
            .child(0, A, says(true, "Prepared"))
            .child(1, A, says(false, "ImagePull"));

    assertThat(condition(fleet))
        .hasValueSatisfying(
            it -> {
              assertThat(it.isTrue()).isFalse();
              assertThat(it.reason()).isEqualTo("ImagePull");
              assertThat(it.message()).isEqualTo("fleet-1: the evidence");
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
            heard(50, planned == null ? null : new NextUpgrade(planned, 300L)),
            listed == null
                ? null
                : new Upgrade(listed, listed.equals("v0") ? 50L : 200L, "i", null));

    assertThat(Optional.ofNullable(pass.draft().chain().nextUpgrade()).map(NextUpgrade::name))
        .isEqualTo(Optional.ofNullable(next));
  }

  @Test
  void onlyShortlyBeforeAnUpgradeTheFleetLooksAtTheChainAgainByItself() {
    assertThat(kept(heard(50, new NextUpgrade("v2", 1_000L)), null).recheck())
        .contains(FleetChain.INTERVAL);
    assertThat(kept(heard(50, new NextUpgrade("v2", 1_000_000L)), null).recheck()).isEmpty();
    assertThat(kept(heard(50, null), null).recheck()).isEmpty();
    assertThat(kept(null, null).draft().chain()).isNull();
  }

  private static FleetChain heard(long height, NextUpgrade next) {
    return new FleetChain(height, Fleets.NOW, "2.50", next);
  }

  private static FleetPass kept(FleetChain heard, Upgrade listed) {
    var pass =
        new FleetPass(
            new SnapshotBuilder(1, A)
                .spec(
                    spec ->
                        spec.withTemplate(
                            spec.template()
                                .withSpec(
                                    spec.template()
                                        .spec()
                                        .withUpgrades(listed == null ? null : List.of(listed)))))
                .build(),
            live -> live);
    new FleetUpgrades((namespace, chain) -> Optional.ofNullable(heard)).keep(pass);
    return pass;
  }

  private static Optional<Condition> condition(SnapshotBuilder fleet) {
    return Conditions.find(
        FleetStatus.of(new FleetPass(fleet.build(), live -> live), Fleets.FEATURES).conditions(),
        FleetConditionType.UPGRADES_READY);
  }

  private static Consumer<SeiNode> says(boolean ready, String reason) {
    var condition =
        new Condition(
            "UpgradesReady", ConditionStatus.of(ready), 1L, Instant.EPOCH, reason, "the evidence");
    return node -> {
      var all = new ArrayList<>(node.getStatus().conditions());
      all.add(condition);
      node.setStatus(node.getStatus().withConditions(all));
    };
  }
}
