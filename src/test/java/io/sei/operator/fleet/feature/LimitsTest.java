package io.sei.operator.fleet.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits of a rollout, with and without being set. */
class LimitsTest {

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
