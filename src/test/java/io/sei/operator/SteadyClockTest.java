package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.WrongClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SteadyClockTest {

  @Test
  void advancesWithTheMachineAndNotWithTheSystemsClock() {
    var system = new WrongClock();
    var nanos = new AtomicLong(Long.MAX_VALUE - 1);
    var clock = new SteadyClock(system, nanos::get);
    Instant start = clock.instant();

    system.jumpTo(Duration.ofHours(1));
    assertThat(clock.instant()).isEqualTo(start);
    system.jumpTo(Duration.ofHours(-1));
    nanos.addAndGet(Duration.ofSeconds(7).toNanos());
    assertThat(clock.instant()).isEqualTo(start.plusSeconds(7));
  }
}
