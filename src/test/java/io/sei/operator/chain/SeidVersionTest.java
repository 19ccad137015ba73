package io.sei.operator.chain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SeidVersionTest {

  @ParameterizedTest
  @CsvSource({
    "v6.4.4, true",
    "6.7.4, true",
    "v6.7.4-5-g0123abc, true",
    "v6.8.0-rc2, false",
    "v6.8.0, false",
    "v6.10.1, false",
    "v7.0.0, false",
    "v5.9.0, true"
  })
  void grpcIsServedBefore68(String version, boolean serves) {
    assertThat(SeidVersion.parse(version)).map(SeidVersion::servesGrpc).contains(serves);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "main", "v6.8", "6", "v6.8.x", "vv6.8.0", "99999.0.0"})
  void whatIsNoVersionIsNotRead(String version) {
    assertThat(SeidVersion.parse(version)).isEmpty();
  }
}
