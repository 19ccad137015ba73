package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The logs are those of a real chain, see {@code docs/real-node.md}. */
class UpgradeHaltTest {

  private static final String TRACE = "\n\ngoroutine 7 [running]:\nmain.main()\n";
  private static final String NEEDED = "UPGRADE \"v2\" NEEDED at height: 12: {\"note\":\"x\"}";

  @Test
  void panicThatBeginsALineAndHasATraceIsProof() {
    var log = "ERR CONSENSUS FAILURE!!! err=\"UPGRADE\"\npanic: " + NEEDED + TRACE;

    assertThat(UpgradeHalt.in("run", log))
        .contains(
            new UpgradeHalt(
                "run", new UpgradePanic(UpgradePanic.Kind.NEEDED, "v2", 12L), "panic: " + NEEDED));
  }

  @Test
  void panicOnTopOfAnotherOneIsProof() {
    assertThat(UpgradeHalt.in("run", "panic: x [recovered]\n\tpanic: " + NEEDED + TRACE))
        .isPresent();
  }

  @Test
  void imageThatLacksAnUpgradeOfItsDataIsProof() {
    String log = "panic: Wrong app version 3, upgrade handler is missing for v2 upgrade plan";

    assertThat(UpgradeHalt.in("run", log + TRACE))
        .map(UpgradeHalt::panic)
        .contains(new UpgradePanic(UpgradePanic.Kind.UNKNOWN_TO_BINARY, "v2", null));
  }

  @Test
  void imageThatCameTooEarlyIsProof() {
    String log = "panic: BINARY UPDATED BEFORE TRIGGER! UPGRADE \"v2\" - in binary";

    assertThat(UpgradeHalt.in("run", log + TRACE))
        .map(UpgradeHalt::panic)
        .contains(new UpgradePanic(UpgradePanic.Kind.TOO_EARLY, "v2", null));
  }

  static Stream<String> noProofs() {
    return Stream.of(
        "",
        "ERR " + NEEDED + TRACE,
        "INF peer says panic: " + NEEDED + TRACE,
        "panic: peer says: " + "UPGRADE",
        "panic: " + NEEDED,
        "goroutine 7 [running]:\npanic: " + NEEDED,
        "panic: UPGRADE \"v2\" NEEDED at" + TRACE,
        "panic: NEEDED at height: 12" + TRACE,
        "panic: " + NEEDED + "\npanic: out of memory" + TRACE,
        "panic: peer says: " + NEEDED + TRACE,
        "panic: BINARY UPDATED BEFORE TRIGGER!" + TRACE);
  }

  @ParameterizedTest
  @MethodSource("noProofs")
  void anythingElseIsNot(String log) {
    assertThat(UpgradeHalt.in("run", log)).isEmpty();
  }

  @Test
  void noLogIsNot() {
    assertThat(UpgradeHalt.in("run", null)).isEmpty();
  }
}
