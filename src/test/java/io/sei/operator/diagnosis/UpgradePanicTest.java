package io.sei.operator.diagnosis;

import static io.sei.operator.diagnosis.UpgradePanic.Kind.NEEDED;
import static io.sei.operator.diagnosis.UpgradePanic.Kind.TOO_EARLY;
import static io.sei.operator.diagnosis.UpgradePanic.Kind.UNKNOWN_TO_BINARY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class UpgradePanicTest {

  static Stream<Arguments> panics() {
    return Stream.of(
        arguments("UPGRADE \"v6\" NEEDED at height: 100: {}", needed("v6", 100L)),
        arguments("UPGRADE \"v6\" NEEDED at height100: x", needed("v6", 100L)),
        arguments("{\"msg\":\"UPGRADE \\\"v6\\\" NEEDED at height: 100\"}", needed("v6", 100L)),
        arguments("panic: UPGRADE \"a b\" NEEDED at height: 7", needed("a b", 7L)),
        arguments("UPGRADE \"v6\" NEEDED at ti", needed("v6", null)),
        arguments("v6\" NEEDED at height: 100: {}", needed(null, 100L)),
        arguments(
            "UPGRADE \"v6\" NEEDED at height: 999999999999999999999999",
            needed("v6", 999999999999999999L)),
        arguments(
            "BINARY UPDATED BEFORE TRIGGER! UPGRADE \"v7\" - in binary but not executed on chain",
            new UpgradePanic(TOO_EARLY, "v7", null)),
        arguments("BINARY UPDATED BEFORE TRIGGER! UPG", new UpgradePanic(TOO_EARLY, null, null)),
        arguments(
            "Wrong app version 0, upgrade handler is missing for v6 upgrade plan",
            new UpgradePanic(UNKNOWN_TO_BINARY, "v6", null)),
        arguments(
            "error wrong app version 12, upgrade handler is missing f",
            new UpgradePanic(UNKNOWN_TO_BINARY, null, null)));
  }

  private static UpgradePanic needed(String upgrade, Long height) {
    return new UpgradePanic(NEEDED, upgrade, height);
  }

  @ParameterizedTest
  @MethodSource("panics")
  void understandsLastWords(String message, UpgradePanic panic) {
    assertThat(UpgradePanic.in(message)).contains(panic);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "UPGRADE \"v6\" SCHEDULED at height: 100: {}",
        "UPGRADE \"v6\" SKIPPED at 100: {}",
        "an upgrade is NEEDED",
        "panic: wrong app hash"
      })
  void ignoresOtherWords(String message) {
    assertThat(UpgradePanic.in(message)).isEmpty();
  }

  @Test
  void haltSaysWhatIsKnown() {
    assertThat(needed("v6", 100L)).hasToString("upgrade \"v6\" at height 100");
    assertThat(needed("v6", null)).hasToString("upgrade \"v6\"");
    assertThat(needed(null, 100L)).hasToString("an upgrade at height 100");
  }
}
