package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrowthDecisionTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // increase, maxSize, wanted, requested, capacity, hours since the last resize, decision
        "-, 4Ti, 2Ti, 2Ti, 2Ti, -, Grow[to=2458Gi]",
        "50%, 4Ti, 2Ti, 2Ti, 2Ti, -, Grow[to=3072Gi]",
        "500Gi, 4Ti, 2Ti, 2Ti, 2Ti, -, Grow[to=2548Gi]",
        "500Gi, 2300Gi, 2Ti, 2Ti, 2Ti, -, Grow[to=2300Gi]",
        "1%, 4Ti, 10Gi, 10Gi, 10Gi, -, Grow[to=11Gi]",
        "-, 2Ti, 2Ti, 2Ti, 2Ti, -, AtMaximum[]",
        "-, 1Ti, 2Ti, 2Ti, 2Ti, -, AtMaximum[]",
        "-, 4Ti, 2Ti, 2Ti, 2Ti, 5, Later[after=PT1H]",
        "-, 4Ti, 2Ti, 2Ti, 2Ti, 6, Grow[to=2458Gi]",
        // Of a clock that was wrong.
        "-, 4Ti, 2Ti, 2Ti, 2Ti, -1, Grow[to=2458Gi]",
        // It grows, or is about to, because the spec asks for it.
        "-, 4Ti, 3Ti, 2Ti, 2Ti, 9, Growing[]",
        "-, 4Ti, 3Ti, 3Ti, 2Ti, 0, Growing[]",
        "-, 4Ti, 3Ti, 3Ti, 2Ti, 9, Growing[]",
      })
  void followsSizePaceAndMaximum(
      String increase,
      String max,
      String wanted,
      String requested,
      String capacity,
      Integer hours,
      String decision) {
    var size =
        new VolumeSize(
            "data-node",
            new Quantity(wanted),
            new Quantity(wanted),
            new Quantity(requested),
            new Quantity(capacity),
            Optional.ofNullable(hours).map(ago -> NOW.minus(Duration.ofHours(ago))));

    assertThat(GrowthDecision.of(new AutoGrow(null, increase, new Quantity(max)), size, NOW))
        .hasToString(decision);
  }
}
