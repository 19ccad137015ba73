package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdleHeapTest {

  @ParameterizedTest(name = "{0} ms worked, {1} MiB used, {2} MiB live: {3}")
  @CsvSource({
    "200, 30, 0, true",
    "200, 60, 30, true",
    "200, 37, 30, false",
    "200, 38, 30, true",
    "5999, 60, 30, true",
    "6000, 60, 30, false",
    "60000, 60, 0, false",
  })
  void anIdleProcessCollectsWhatHasGrownByAQuarter(
      long milliseconds, long used, long live, boolean collects) {
    assertThat(IdleHeap.isWorthCollecting(Duration.ofMillis(milliseconds), used << 20, live << 20))
        .isEqualTo(collects);
  }
}
