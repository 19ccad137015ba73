package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.StallReason;
import org.junit.jupiter.api.Test;

class FindingTest {

  @Test
  void messageIsOnePrintableLine() {
    var finding =
        Finding.unknown("\u001b[31mred\u001b[0m\r\n\tnext\u0000 \u202eline\u2028end ", "look");
    assertThat(finding.message()).isEqualTo("red next line end; look");
  }

  @Test
  void longMessageIsCutBetweenCharacters() {
    String smile = "\ud83d\ude00";
    var finding = Finding.unknown("a" + smile.repeat(1000), "look");
    assertThat(finding.message()).hasSizeLessThanOrEqualTo(Finding.MAX_MESSAGE);
    assertThat(finding.message().substring(1).replace(smile, "")).isEqualTo("...; look");
  }

  @Test
  void longEvidenceLeavesRoomForTheNextStep() {
    var finding = Finding.of(StallReason.CRASH_LOOP, "x".repeat(5000), "read the log");
    assertThat(finding.message()).hasSize(Finding.MAX_MESSAGE).endsWith("...; read the log");
  }

  @Test
  void messageMayBeMissing() {
    assertThat(Finding.unknown(null, "look").message()).isEqualTo("; look");
  }

  @Test
  void unknownIsNeverTerminal() {
    assertThat(Finding.unknown("waits for readiness", "look"))
        .isEqualTo(new Finding(StallReason.UNKNOWN, "waits for readiness; look", false));
  }
}
