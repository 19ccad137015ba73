package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.CountingText;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A workload chooses the lines that it logs: the work on one is linear in its length. */
class LogPatternsTest {

  private static final int LENGTH = 64 * 1024;

  /** A bounded gap costs its length at each place where a pattern may begin. */
  private static final long LOOKS_PER_CHARACTER = 1000;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "applying upgrade ",
        "applying upgrade name ",
        "migrating module from version to version ",
        "migrating module x",
        "pebble/table: invalid table ",
        "chain-id mismatch: ",
        "genesis file chain-id=",
        "Applying block "
      })
  void lineThatBeginsAPatternAgainAndAgainIsReadInLinearTime(String begin) {
    String line = begin.repeat(LENGTH / begin.length());
    for (StartLog kind : StartLog.values()) {
      var text = new CountingText(line);

      kind.in(text);

      assertThat(text.looks()).as("%s", kind).isLessThan(LOOKS_PER_CHARACTER * LENGTH);
    }
    for (CauseOfDeath.Line known : knownLines()) {
      var text = new CountingText(line);

      known.words().matcher(text).find();

      assertThat(text.looks()).as("%s", known).isLessThan(LOOKS_PER_CHARACTER * LENGTH);
    }
  }

  private static List<CauseOfDeath.Line> knownLines() {
    return Arrays.stream(CauseOfDeath.values()).flatMap(LogPatternsTest::linesOf).toList();
  }

  private static Stream<CauseOfDeath.Line> linesOf(CauseOfDeath cause) {
    return cause.lines().stream();
  }
}
