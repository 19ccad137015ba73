package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.api.v1alpha1.VolumeGrowth;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrowthDecisionTest {

  /** The last growth is a size and hours ago. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // increase, maxSize, wanted, requested, capacity, last, hours, decision
        "-, 4Ti, 2Ti, 2Ti, 2Ti, -, -, Grow[to=2458Gi]",
        "50%, 4Ti, 2Ti, 2Ti, 2Ti, -, -, Grow[to=3072Gi]",
        "500Gi, 4Ti, 2Ti, 2Ti, 2Ti, -, -, Grow[to=2548Gi]",
        "500Gi, 2300Gi, 2Ti, 2Ti, 2Ti, -, -, Grow[to=2300Gi]",
        "1%, 4Ti, 10Gi, 10Gi, 10Gi, -, -, Grow[to=11Gi]",
        "-, 2Ti, 2Ti, 2Ti, 2Ti, -, -, AtMaximum[]",
        "-, 1Ti, 2Ti, 2Ti, 2Ti, -, -, AtMaximum[]",
        "-, 4Ti, 2Ti, 2Ti, 2Ti, 2Ti, 5, Later[after=PT1H]",
        "-, 4Ti, 2Ti, 2Ti, 2Ti, 2Ti, 6, Grow[to=2458Gi]",
        // Of a clock that was wrong.
        "-, 4Ti, 2Ti, 2Ti, 2Ti, 2Ti, -1, Grow[to=2458Gi]",
        // It grows: as recorded, refused or not, or because the spec asks for it.
        "-, 4Ti, 3Ti, 2Ti, 2Ti, 3Ti, 9, Growing[]",
        "-, 4Ti, 3Ti, 3Ti, 2Ti, 3Ti, 0, Growing[]",
        "-, 4Ti, 3Ti, 3Ti, 2Ti, -, -, Grow[to=3Ti]",
        "-, 4Ti, 3Ti, 2Ti, 2Ti, 2Ti, 1, Grow[to=3Ti]",
      })
  void followsSizePaceAndMaximum(
      String increase,
      String max,
      String wanted,
      String requested,
      String capacity,
      String last,
      Integer hours,
      String decision) {
    var size =
        new VolumeSize(
            "data-node",
            new Quantity(wanted),
            new Quantity(wanted),
            new Quantity(requested),
            new Quantity(capacity));
    Optional<VolumeGrowth> growth =
        Optional.ofNullable(last)
            .map(
                it ->
                    new VolumeGrowth("claim", "1Ti", it, NOW.minus(Duration.ofHours(hours)), null));

    assertThat(
            GrowthDecision.of(new AutoGrow(null, increase, new Quantity(max)), size, growth, NOW))
        .hasToString(decision);
  }
}
