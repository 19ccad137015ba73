package io.sei.operator.chain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SeidVersionTest {

  /** Such as of an upgrade that the chain has planned and no node lists. */
  @Test
  void noImageHasNoVersion() {
    assertThat(SeidVersion.ofImage(null)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "v6.4.4, v6.4.4",
    "6.7.4, v6.7.4",
    "v6.7.4-5-g0123abc, v6.7.4-5-g0123abc",
    "v6.8.0-rc2, v6.8.0-rc2",
    "v6.10.1, v6.10.1"
  })
  void versionsAreRead(String version, String read) {
    assertThat(SeidVersion.parse(version)).map(SeidVersion::toString).contains(read);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "main",
        "v6.8",
        "6",
        "v6.8.x",
        "vv6.8.0",
        "99999.0.0",
        "v6.8.0 x",
        "v6.8.0-\n"
      })
  void whatIsNoVersionIsNotRead(String version) {
    assertThat(SeidVersion.parse(version)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "v6.7.4, v6.8.0, true",
    "v6.9.0, v6.10.0, true",
    "v6.8.0-rc2, v6.8.0, false",
    "v6.8.0, v6.8.0-rc2, false",
    "v7.0.0, v6.9.9, false"
  })
  void versionsAreOrderedByNumber(String one, String other, boolean isBefore) {
    assertThat(version(one).isBefore(version(other))).isEqualTo(isBefore);
  }

  private static SeidVersion version(String text) {
    return SeidVersion.parse(text).orElseThrow();
  }
}
