package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerVersionTest {

  @ParameterizedTest
  @CsvSource({
    "1, 20, false",
    "1, 28, false",
    "1, 28+, false",
    "1, 29, true",
    "1, 29+, true",
    "1, 36, true",
    "2, 0, true"
  })
  void nativeSidecarsExistSince129(String major, String minor, boolean supported) {
    assertThat(ServerVersion.parse(major, minor).supportsNativeSidecars()).isEqualTo(supported);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "+", "v29", "-1"})
  void whatIsNoNumberIsRefused(String minor) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ServerVersion.parse("1", minor))
        .withMessageContaining("'" + minor + "'");
  }

  @Test
  void aMissingVersionIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> ServerVersion.parse(null, "29"));
  }
}
