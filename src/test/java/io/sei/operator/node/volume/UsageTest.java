package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageTest {

  private static final Optional<Integer> EIGHTY = Optional.of(80);

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // usedPercent, used one after the other, whether it is to grow
        "80, 79.9, false",
        "80, 80, true",
        "80, 100, true",
        "-, 100, false",
        // It is not full and not full by turns.
        "80, 80 78.5, true",
        "80, 80 77.9, false",
        "80, 79 78.5, false",
      })
  void growsAtItsPercent(Integer usedPercent, String used, boolean expected) {
    Usage usage = Usage.unasked(NOW);
    for (String percent : used.split(" ")) {
      usage = usage.heard(full(Double.parseDouble(percent)), Optional.ofNullable(usedPercent), NOW);
    }

    assertThat(usage.isToGrow(NOW)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    // minutes since the answer, whether it counts
    "0, true",
    "9, true",
    "10, false",
    "-1, false",
  })
  void answerCountsForAWhile(long minutes, boolean expected) {
    Usage usage = Usage.unasked(NOW).heard(full(90), EIGHTY, NOW);

    assertThat(usage.isToGrow(after(minutes))).isEqualTo(expected);
  }

  @Test
  void answerThatArrivedAfterThePassBeganCounts() {
    Usage heard = Usage.unasked(NOW).heard(full(90), EIGHTY, NOW.plusMillis(1));

    assertThat(heard.isToGrow(NOW)).isTrue();
  }

  @Test
  void silenceIsShownOnceItLasts() {
    Usage heard = Usage.unasked(NOW).heard(full(90), EIGHTY, NOW);
    Usage missed = heard.missed("first", after(9));
    Usage unknown = missed.missed("second", after(11));
    Usage silent = unknown.missed("third", after(15));

    assertThat(missed).isEqualTo(heard);
    assertThat(unknown.isToGrow(after(11))).isFalse();
    assertThat(unknown.silence()).isEmpty();
    assertThat(silent.silence()).contains("third");
    assertThat(silent.missed("fourth", after(30)).isNews(silent)).isFalse();
    assertThat(silent.heard(full(90), EIGHTY, after(31)).silence()).isEmpty();
  }

  @Test
  void silenceCountsFromItsFirstQuestion() {
    Usage asked = Usage.unasked(NOW).missed("why", after(14));

    assertThat(asked.silence()).isEmpty();
    assertThat(asked.missed("why", after(15)).silence()).contains("why");
    // A clock that was set back.
    assertThat(Usage.unasked(after(60)).missed("why", NOW).missed("why", after(16)).silence())
        .contains("why");
  }

  @ParameterizedTest
  @CsvSource({
    // used in percent, days until it is full one after the other, what is said
    "60, 30, CALM",
    "60, 6, WITHIN_A_WEEK",
    "60, 0.9, WITHIN_A_DAY",
    "49, 0.9, CALM",
    "60, 6 9, WITHIN_A_WEEK",
    "60, 6 11, CALM",
    "60, 0.9 1.4, WITHIN_A_DAY",
    "60, 0.9 1.6, WITHIN_A_WEEK",
    "60, 0.9 9, WITHIN_A_WEEK",
    "60, 0.9 11, CALM",
    "60, 8, CALM",
  })
  void outlookIsCoarse(double percent, String days, Outlook expected) {
    Usage usage = Usage.unasked(NOW);
    for (String left : days.split(" ")) {
      double pace = (100 - percent) / (Double.parseDouble(left) * 86_400);
      usage =
          usage.heard(
              new VolumeUsage(100, 100 - percent, Optional.of(pace)), Optional.empty(), NOW);
    }

    assertThat(usage.outlook()).isEqualTo(expected);
  }

  @Test
  void moreOfTheSameIsNoNews() {
    Usage heard = Usage.unasked(NOW).heard(full(60), EIGHTY, NOW);

    assertThat(heard.isNews(Usage.unasked(NOW))).isFalse();
    assertThat(heard.heard(full(70), EIGHTY, after(2)).isNews(heard)).isFalse();
    assertThat(heard.heard(full(80), EIGHTY, after(2)).isNews(heard)).isTrue();
  }

  private static VolumeUsage full(double percent) {
    return new VolumeUsage(100, 100 - percent, Optional.empty());
  }

  private static Instant after(long minutes) {
    return NOW.plus(Duration.ofMinutes(minutes));
  }
}
