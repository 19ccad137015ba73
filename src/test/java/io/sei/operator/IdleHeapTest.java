package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdleHeapTest {

  @ParameterizedTest(name = "busy before: {0}, {1} MiB used, {2} MiB live: {3}")
  @CsvSource({
    "false, 30, 0, true",
    "false, 60, 30, true",
    "false, 37, 30, false",
    "false, 38, 30, true",
    "true, 30, 30, true",
  })
  void anIdleProcessCollectsAfterABurstAndWhatHasGrownByAQuarter(
      boolean wasBusy, long used, long live, boolean collects) {
    assertThat(IdleHeap.isWorthCollecting(wasBusy, used << 20, live << 20)).isEqualTo(collects);
  }
}
