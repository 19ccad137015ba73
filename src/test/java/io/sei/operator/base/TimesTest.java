package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimesTest {

  @ParameterizedTest
  @CsvSource({
    "2026-06-01T10:00:00Z, 2026-06-01T10:00:00Z",
    "2026-06-01T10:00:00.123456Z, 2026-06-01T10:00:00.123456Z",
    "2026-06-01T12:00:00+02:00, 2026-06-01T10:00:00Z",
    "yesterday, ",
    "'', ",
    ", "
  })
  void whatCannotBeReadIsNoTime(String text, Instant time) {
    assertThat(Times.parse(text).orElse(null)).isEqualTo(time);
  }
}
