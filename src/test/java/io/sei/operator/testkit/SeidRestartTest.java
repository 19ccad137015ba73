package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SeidRestartTest {

  private static final Instant START = Instant.EPOCH;

  private final Seid seid = new Seid();
  private final SeidRestart restart = new SeidRestart(seid, Duration.ofMinutes(5));

  /** A seid that does what a test says. */
  private static final class Seid implements SeidProcess {
    private Optional<String> run = Optional.of("7");
    private boolean up = true;
    private int signals;

    @Override
    public Optional<String> run() {
      return run;
    }

    @Override
    public OptionalLong height() {
      return up ? OptionalLong.of(1) : OptionalLong.empty();
    }

    @Override
    public void terminate() {
      signals++;
    }
  }

  @Test
  void isDoneOnceTheNextRunAnswers() {
    assertThat(restart.isDone(START)).as("still runs").isFalse();
    seid.run = Optional.of("8");
    seid.up = false;
    assertThat(restart.isDone(after(10))).as("does not answer yet").isFalse();
    seid.up = true;

    assertThat(restart.isDone(after(20))).isTrue();
    assertThat(seid.signals).isEqualTo(1);
  }

  @Test
  void seidThatDoesNotEndIsLeftRunning() {
    restart.isDone(START);

    assertThat(restart.isDone(after(90))).isFalse();
    assertThatThrownBy(() -> restart.isDone(after(91)))
        .hasMessageStartingWith("seid pid 7 still alive 1m30s after SIGTERM; leaving it running");
  }

  @Test
  void seidThatDoesNotComeBackIsGivenUp() {
    seid.run = Optional.empty();
    seid.up = false;

    assertThat(restart.isDone(START)).as("nothing to end").isFalse();
    assertThatThrownBy(() -> restart.isDone(after(301)))
        .hasMessage("seid RPC did not come up within 5m0s after restart");
  }

  @Test
  void seidThatAnswersAndCannotBeSeenIsNotSaidToBeRestarted() {
    seid.run = Optional.empty();

    assertThatThrownBy(() -> restart.isDone(START))
        .hasMessageContaining("refusing to report a restart that did not happen");
  }

  private static Instant after(int seconds) {
    return START.plusSeconds(seconds);
  }
}
