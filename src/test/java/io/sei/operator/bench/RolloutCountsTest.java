package io.sei.operator.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the limits of a rollout's cost. */
class RolloutCountsTest {

  @ParameterizedTest(name = "{1} where {0} is committed: {2}")
  @CsvSource({
    "8,    8,     false",
    "8,    10,    false",
    "8,    10.02, true",
    "8,    4,     false",
    "0.02, 0.25,  false",
    "0.02, 0.3,   true",
    "3,    4,     true",
  })
  void aQuarterMoreIsTooMuch(double committed, double measured, boolean above) {
    assertThat(counts(measured).above(counts(committed))).hasSize(above ? 1 : 0);
  }

  @Test
  void aRequestThatIsNotCommittedIsNamed() {
    assertThat(counts(1).above(new RolloutCounts(Map.of())))
        .containsExactly("get pods: 1.00, committed 0.00");
  }

  @Test
  void whatIsCommittedIsWithinTheBudget() throws IOException {
    Map<String, Double> committed = RolloutCounts.committed().rows();

    assertThat(committed.get("one node, per rollout, API requests"))
        .as("eight, and one for its machine, which may be cordoned")
        .isLessThanOrEqualTo(9);
    assertThat(committed.get("one node in place, per rollout, API requests"))
        .as("six, four for the pull of the image, and one for the machine")
        .isLessThanOrEqualTo(11);
    assertThat(committed.get("one node, per rollout, patch seinodes/status"))
        .isLessThanOrEqualTo(3);
  }

  private static RolloutCounts counts(double value) {
    return new RolloutCounts(Map.of("get pods", value));
  }
}
