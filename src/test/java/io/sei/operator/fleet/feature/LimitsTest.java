package io.sei.operator.fleet.feature;

import static io.sei.operator.testkit.samples.FleetNodeSample.aFleetNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits of a rollout, with and without being set. */
class LimitsTest {

  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private static final ReadyConfirmation CONFIRMATION =
      new ReadyConfirmation(Duration.ofSeconds(10), Duration.ofSeconds(30));

  @Test
  void everyLimitHasADefault() {
    var defaults =
        new Limits(1, 0, Optional.empty(), CONFIRMATION, Duration.ofSeconds(600), OnStall.HOLD);

    assertThat(limits(spec(3))).isEqualTo(defaults);
    assertThat(limits(spec(3, null))).isEqualTo(defaults);
    assertThat(limits(spec(3, new InPlace(null, null, null, null, null)))).isEqualTo(defaults);
  }

  @Test
  void whatIsSetIsTaken() {
    assertThat(limits(spec(3, new InPlace(new IntOrString(2), 1, 30, 5, OnStall.ROLLBACK))))
        .isEqualTo(
            new Limits(
                2,
                1,
                Optional.of(Duration.ofSeconds(30)),
                CONFIRMATION,
                Duration.ofSeconds(5),
                OnStall.ROLLBACK));
  }

  /** The block of an earlier run does not count for the present one. */
  @ParameterizedTest(name = "Ready for {0} s, block {1} s ago: confirmed in {2} s")
  @CsvSource({
    "0, 13, 10",
    "9, 3600, 1",
    "10, 3600, 0",
    "0, 0, 10",
    "12, 10, 0",
    "12, 9, 1",
    "29, 1, 1",
    "9, -5, 10",
    "9, , 21",
    "30, , 0"
  })
  void confirmationCountsFromReadinessOrBlockWhicheverIsLater(long ready, Long block, long left) {
    FleetNode node =
        aFleetNode(0)
            .readySince(NOW.minusSeconds(ready))
            .caughtUpAt(block == null ? null : NOW.minusSeconds(block))
            .build();
    Limits unset = limits(spec(5));

    assertThat(unset.confirmedAt(node, NOW)).isEqualTo(NOW.plusSeconds(left));
    assertThat(unset.isConfirmed(node, NOW)).isEqualTo(left == 0);
  }

  @ParameterizedTest
  @CsvSource({
    "1%, 100, 1",
    "1%, 1, 1",
    "10%, 5, 1",
    "34%, 3, 2",
    "33%, 3, 1",
    "50%, 3, 2",
    "50%, 4, 2",
    "99%, 100, 99",
    "100%, 7, 7"
  })
  void aPercentageIsRoundedUp(String percentage, int replicas, int expected) {
    var limits =
        limits(spec(replicas, new InPlace(new IntOrString(percentage), null, null, null, null)));

    assertThat(limits.maxUnavailable()).isEqualTo(expected);
  }

  private static Limits limits(SeiNodeDeploymentSpec spec) {
    return Limits.of(spec, CONFIRMATION);
  }

  private static SeiNodeDeploymentSpec spec(int replicas) {
    return SeiNodeDeploymentSpecBuilder.builder().replicas(replicas).build();
  }

  private static SeiNodeDeploymentSpec spec(int replicas, InPlace limits) {
    return spec(replicas)
        .withUpdateStrategy(new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, limits, null));
  }
}
