package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SeidRestartTest {

  private static final Instant START = Instant.EPOCH;

  private int signals;
  private final SimulatedSeid seid = new SimulatedSeid(() -> signals++);
  private final SeidRestart restart = new SeidRestart(seid, Duration.ofMinutes(5));

  @Test
  void isDoneOnceTheNextRunAnswers() {
    seid.is(Optional.of("7"), true);
    assertThat(restart.isDone(START)).as("still runs").isFalse();
    seid.is(Optional.of("8"), false);
    assertThat(restart.isDone(after(10))).as("does not answer yet").isFalse();
    seid.is(Optional.of("8"), true);

    assertThat(restart.isDone(after(20))).isTrue();
    assertThat(signals).isEqualTo(1);
  }

  @Test
  void seidThatDoesNotEndIsLeftRunning() {
    seid.is(Optional.of("7"), true);
    restart.isDone(START);

    assertThat(restart.isDone(after(90))).isFalse();
    assertThatThrownBy(() -> restart.isDone(after(91)))
        .hasMessageStartingWith("seid pid 7 still alive 1m30s after SIGTERM; leaving it running");
  }

  @Test
  void seidThatDoesNotComeBackIsGivenUp() {
    assertThat(restart.isDone(START)).as("nothing to end").isFalse();
    assertThatThrownBy(() -> restart.isDone(after(301)))
        .hasMessage("seid RPC did not come up within 5m0s after restart");
  }

  @Test
  void seidThatAnswersAndCannotBeSeenIsNotSaidToBeRestarted() {
    seid.is(Optional.empty(), true);

    assertThatThrownBy(() -> restart.isDone(START))
        .hasMessageContaining("refusing to report a restart that did not happen");
  }

  private static Instant after(int seconds) {
    return START.plusSeconds(seconds);
  }
}
