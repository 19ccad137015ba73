package io.sei.operator.api.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronScheduleTest {

  @ParameterizedTest(name = "{0} at {1}: {2} to {3}")
  @CsvSource({
    "0 3 * * *, 2026-06-01T10:00:00Z, 2026-06-01T03:00:00Z, 2026-06-02T03:00:00Z",
    "*/15 * * * *, 2026-06-01T10:15:00Z, 2026-06-01T10:15:00Z, 2026-06-01T10:30:00Z",
    "*/15 * * * *, 2026-06-01T10:14:59Z, 2026-06-01T10:00:00Z, 2026-06-01T10:15:00Z",
    "30 4 * * 1, 2026-06-01T10:00:00Z, 2026-06-01T04:30:00Z, 2026-06-08T04:30:00Z",
    "0 0 29 2 *, 2026-06-01T10:00:00Z, 2024-02-29T00:00:00Z, 2028-02-29T00:00:00Z",
  })
  void saysTheMomentsAround(String expression, Instant now, Instant last, Instant next) {
    CronSchedule schedule = CronSchedule.parse(expression);

    assertThat(schedule.upTo(now)).contains(last);
    assertThat(schedule.after(now)).contains(next);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "daily",
        "* * * *",
        "0 0 3 * * *",
        "60 * * * *",
        "* * * * MOO",
        "* 24 * * *",
        "0 0 30 2 *"
      })
  void refusesWhatIsNoCronExpression(String expression) {
    assertThatIllegalArgumentException().isThrownBy(() -> CronSchedule.parse(expression));
  }
}
