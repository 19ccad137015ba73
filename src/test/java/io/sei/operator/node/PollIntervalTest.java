package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PollIntervalTest {

  private static final Instant SUBMITTED = Instant.parse("2026-06-01T10:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "-3600, 5000",
    "-1, 100",
    "0, 100",
    "1, 100",
    "2, 500",
    "9, 500",
    "10, 2000",
    "59, 2000",
    "60, 5000",
    "36000, 5000"
  })
  void growsWithTheAgeOfTheTask(long seconds, long millis) {
    assertThat(PollInterval.after(SUBMITTED, SUBMITTED.plusSeconds(seconds)))
        .isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  void isShortForATaskThatWasJustSubmitted() {
    assertThat(PollInterval.after(null, SUBMITTED)).isEqualTo(Duration.ofMillis(25));
  }
}
