package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ReadPauseTest {

  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private final ReadPause pause = new ReadPause(Duration.ofSeconds(30));

  @Test
  void everybodyReadsWhileReadsAreAnswered() {
    assertThat(pause.mayRead(NOW)).isTrue();
    pause.answered();
    assertThat(pause.mayRead(NOW)).isTrue();
  }

  @Test
  void nobodyReadsForAWhileAfterAReadThatWasNotAnswered() {
    pause.unanswered(NOW);

    assertThat(pause.mayRead(NOW)).isFalse();
    assertThat(pause.mayRead(NOW.plusSeconds(29))).isFalse();
  }

  @Test
  void afterThatOneReadsAndTheOthersWaitForWhatComesOfIt() {
    pause.unanswered(NOW);

    Instant later = NOW.plusSeconds(30);
    assertThat(pause.mayRead(later)).isTrue();
    assertThat(pause.mayRead(later)).isFalse();

    pause.answered();
    assertThat(pause.mayRead(later)).isTrue();
  }
}
