package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.StallReason;
import java.util.Collections;
import java.util.List;
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
  void otherSymptomsAreNamedAfterTheNextStepHoweverLongTheEvidence() {
    Finding finding =
        Finding.of(StallReason.CRASH_LOOP, "x".repeat(5000), "read the log")
            .and(List.of("x is broken", "x is broken"), true);

    assertThat(finding.message())
        .hasSize(Finding.MAX_MESSAGE)
        .endsWith("...; read the log; 2 more: x is broken, x is broken");
    assertThat(finding.terminal()).isTrue();
  }

  @Test
  void manyOtherSymptomsDoNotPushTheAdviceOut() {
    Finding finding =
        Finding.unknown("seen", "look").and(Collections.nCopies(50, "y".repeat(200)), false);

    assertThat(finding.message()).startsWith("seen; look; 50 more: yyy").endsWith("...");
  }

  @Test
  void messageMayBeMissing() {
    assertThat(Finding.unknown(null, "look").message()).isEqualTo("; look");
  }

  @Test
  void unknownIsNeverTerminal() {
    assertThat(Finding.unknown("waits for readiness", "look"))
        .isEqualTo(new Finding(StallReason.UNKNOWN, "waits for readiness", "look", false));
  }
}
