package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogTailTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  @ParameterizedTest
  @CsvSource({"'',''", "abc,abc", "abcde,abcde", "abcdef,bcdef", "abcdefghijkl,hijkl"})
  void isTheEndOfWhatIsThere(String log, String expected) throws IOException {
    assertThat(LogTail.of(stream(log), 5, LONG, Clock.systemUTC())).isEqualTo(expected);
  }

  @Test
  void isTheEndOfALogThatTakesManyReads() throws IOException {
    String log = "0123456789".repeat(10_000) + "end";

    assertThat(LogTail.of(stream(log), 1000, LONG, Clock.systemUTC()))
        .hasSize(1000)
        .endsWith("789end");
  }

  @ParameterizedTest
  @CsvSource({"'',''", "abc,abc", "abcde,abcde", "abcdef,abcde"})
  void headIsTheBeginningOfWhatIsThere(String log, String expected) throws IOException {
    assertThat(LogTail.head(stream(log), 5, LONG, Clock.systemUTC())).isEqualTo(expected);
  }

  @Test
  void logThatDoesNotEndIsGivenUp() {
    assertThatThrownBy(
            () -> LogTail.of(stream("abc"), 5, Duration.ofSeconds(-1), Clock.systemUTC()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("did not end");
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
