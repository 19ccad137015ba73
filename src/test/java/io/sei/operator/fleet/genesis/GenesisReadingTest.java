package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class GenesisReadingTest {

  private final GenesisReading reading = new GenesisReading();

  @Test
  void oneGenesisIsReadAtATime() {
    assertThat(reading.read(() -> reading.read(() -> "second")))
        .hasValueSatisfying(second -> assertThat(second).isEmpty());
    assertThat(reading.read(() -> "later")).contains("later");
  }

  @Test
  void turnEndsWithAReaderThatFails() {
    assertThatThrownBy(
            () ->
                reading.read(
                    () -> {
                      throw new IllegalStateException("no log");
                    }))
        .hasMessage("no log");

    assertThat(reading.read(() -> "later")).contains("later");
  }
}
