package io.sei.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {

  @ParameterizedTest
  @CsvSource({"-1,0", "0,0", "1,1", "2,2", "3,4", "5,16", "6,30", "7,30", "64,30", "2147483647,30"})
  void doublesUpToItsCap(int failures, long seconds) {
    assertThat(Backoff.OF_TASKS.after(failures)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @CsvSource({"0,1", "3,3", "90,30", "-90,1", ",1"})
  void anAttemptInVainDoublesTheTimeUpToTheCap(Long ago, long seconds) {
    Instant now = Instant.parse("2026-06-01T10:00:00Z");
    Optional<Instant> since = Optional.ofNullable(ago).map(now::minusSeconds);

    assertThat(Backoff.OF_TASKS.whileFailing(since, now)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  void plansAreSlowerThanTasks() {
    assertThat(Backoff.OF_PLANS.after(1)).isEqualTo(Duration.ofSeconds(10));
    assertThat(Backoff.OF_PLANS.after(100)).isEqualTo(Duration.ofMinutes(10));
  }
}
