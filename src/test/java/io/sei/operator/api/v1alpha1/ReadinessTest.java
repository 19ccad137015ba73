package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadinessTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");

  @ParameterizedTest
  @CsvSource({"TRUE, -60, ", "FALSE, , -60", "UNKNOWN, , -60"})
  void whatAnEarlierVersionStoredIsTakenOverOnce(
      ConditionStatus said, Long readySince, Long unreadySince) {
    SeiNodeStatus stored =
        SeiNodeStatus.empty()
            .withConditions(List.of(new Condition("Ready", said, 1L, at(-60L), "Any", "")));

    assertThat(stored.seeded())
        .isEqualTo(stored.with(it -> it.readySince(at(readySince)).unreadySince(at(unreadySince))));
    assertThat(stored.withReadySince(NOW).seeded()).isEqualTo(stored.withReadySince(NOW));
    assertThat(stored.withUnreadySince(NOW).seeded()).isEqualTo(stored.withUnreadySince(NOW));
  }

  @ParameterizedTest
  @CsvSource({
    ", , true, 0",
    "-60, , true, -60",
    "60, , true, 0",
    ", -60, true, 0",
    ", -60, false, -60",
    ", 60, false, 0",
    "-60, , false, 0"
  })
  void theMomentStaysUnlessItIsNewOrYetToCome(
      Long readySince, Long unreadySince, boolean ready, long expected) {
    SeiNodeStatus before =
        SeiNodeStatus.empty()
            .with(it -> it.readySince(at(readySince)).unreadySince(at(unreadySince)));

    SeiNodeStatus after = before.withReadiness(ready, NOW);

    assertThat(after.readySince()).isEqualTo(ready ? at(expected) : null);
    assertThat(after.unreadySince()).isEqualTo(ready ? null : at(expected));
  }

  private static Instant at(Long seconds) {
    return seconds == null ? null : NOW.plusSeconds(seconds);
  }
}
