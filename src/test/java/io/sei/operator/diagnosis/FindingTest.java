package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.StallReason;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** The fleet restores fields of its template on a node; fields of one node stay. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "check spec.image, then change spec.image | check spec.template.spec.image of fleet rpc,"
            + " then change spec.template.spec.image",
        "raise spec.dataVolume.storage.resources.requests.storage | raise"
            + " spec.template.spec.dataVolume.storage.resources.requests.storage of fleet rpc",
        "remove halt-height from spec.overrides, or set spec.paused | remove halt-height from"
            + " spec.template.spec.overrides of fleet rpc, or set spec.paused",
        "set spec.validator.acceptSigningStateLoss | set spec.validator.acceptSigningStateLoss",
        "raise spec.dataResetGeneration | raise spec.dataResetGeneration",
        "set spec.dataVolume.acceptDataLoss | set spec.dataVolume.acceptDataLoss",
        "set spec.endedPodUid of the SeiSigningKey | set spec.endedPodUid of the SeiSigningKey",
        "check the pull secret | check the pull secret",
      })
  void nextStepOnANodeOfAFleetNamesTheTemplate(String nextStep, String ofFleet) {
    var finding =
        Finding.of(StallReason.IMAGE_PULL, "spec.image is of others", nextStep).onNodeOf("rpc");

    assertThat(finding.message()).isEqualTo("spec.image is of others; " + ofFleet);
  }
}
