package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The logs are those of a real chain, see {@code docs/dev/machines.md}. */
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
  void panicThatIsRecoveredAndRaisedAgainIsProof() {
    assertThat(UpgradeHalt.in("run", "panic: " + NEEDED + "\n\tpanic: " + NEEDED + TRACE))
        .isPresent();
    assertThat(UpgradeHalt.in("run", "panic: " + NEEDED + " [recovered, repanicked]" + TRACE))
        .isPresent();
  }

  @Test
  void sameHaltTwiceIsStillThatHalt() {
    String halt = "panic: " + NEEDED + TRACE;

    assertThat(UpgradeHalt.in("run", halt + halt)).isPresent();
  }

  @Test
  void infoOfAPlanIsNotWhatSeidSays() {
    String info = "{\"note\":\"BINARY UPDATED BEFORE TRIGGER! UPGRADE \\\"v9\\\" - in\"}";
    String log = "panic: UPGRADE \"v2\" NEEDED at height: 12: " + info + TRACE;

    assertThat(UpgradeHalt.in("run", log))
        .map(UpgradeHalt::panic)
        .contains(new UpgradePanic(UpgradePanic.Kind.NEEDED, "v2", 12L));
    assertThat(UpgradePanic.in(log))
        .contains(new UpgradePanic(UpgradePanic.Kind.NEEDED, "v2", 12L));
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
        "panic: BINARY UPDATED BEFORE TRIGGER!" + TRACE,
        // A value of several lines, as Go printed it before and since 1.23.
        "panic: bad plan:\npanic: " + NEEDED + TRACE,
        "panic: bad plan:\n\tpanic: " + NEEDED + TRACE,
        "panic: UPGRADE \"v9\" NEEDED at height: 12: \npanic: " + NEEDED + TRACE,
        "panic: UPGRADE \"v2\" NEEDED at height: 9: \npanic: " + NEEDED + TRACE,
        "panic: UPGRADE \"v9\" NEEDED at height: 12:" + TRACE + "panic: " + NEEDED + TRACE,
        "panic: info {\"note\":\"panic: UPGRADE \\\"v2\\\" NEEDED at height: 12: x\"}" + TRACE,
        "time=1 level=ERROR msg=\"panic: UPGRADE \\\"v2\\\" NEEDED at height: 12\"" + TRACE,
        "long linePGRADE \"v2\" NEEDED at height: 12: {}" + TRACE);
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
