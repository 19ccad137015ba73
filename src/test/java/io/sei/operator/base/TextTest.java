package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {

  @ParameterizedTest
  @CsvSource({"abc, 3, abc", "abc, 2, ab", "abc, 0, ''", "a🌊b, 2, a", "a🌊b, 3, a🌊", "🌊, 1, ''"})
  void noCharacterIsCutInHalf(String text, int max, String cut) {
    assertThat(Text.cut(text, max)).isEqualTo(cut);
  }

  @ParameterizedTest
  @CsvSource({"'a\tb\n c', 'a b c'", "'\u001b[31mred\u001b[0m', red", "'a\u202eb', ab", ", ''"})
  void aLineIsOneAndPrintable(String text, String line) {
    assertThat(Text.line(text, 80)).isEqualTo(line);
  }

  @ParameterizedTest
  @CsvSource({"abcdef, 6, abcdef", "abcdefg, 6, abc...", "ab🌊cdef, 6, ab..."})
  void aLineThatGoesOnSaysSo(String text, int max, String line) {
    assertThat(Text.line(text, max)).isEqualTo(line);
  }
}
