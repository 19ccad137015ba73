package io.sei.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
  @CsvSource({"TRUE,0,1", "TRUE,3,3", "TRUE,90,30", "TRUE,-90,1", "FALSE,90,1", "UNKNOWN,90,1"})
  void anAttemptInVainDoublesTheTimeUpToTheCap(ConditionStatus stalled, long since, long seconds) {
    Instant now = Instant.parse("2026-06-01T10:00:00Z");
    Instant from = now.minusSeconds(since);
    List<Condition> conditions =
        List.of(new Condition("Stalled", stalled, 1L, from, "ApplyRefused", "no"));

    assertThat(Backoff.OF_TASKS.whileStalled(conditions, now))
        .isEqualTo(Duration.ofSeconds(seconds));
    assertThat(Backoff.OF_TASKS.whileStalled(null, now)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void plansAreSlowerThanTasks() {
    assertThat(Backoff.OF_PLANS.after(1)).isEqualTo(Duration.ofSeconds(10));
    assertThat(Backoff.OF_PLANS.after(100)).isEqualTo(Duration.ofMinutes(10));
  }
}
