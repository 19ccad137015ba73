package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The column REASON says what a person must know first. */
class FirstReasonTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Ready=True/PodReady UpToDate=True/UpToDate Paused=False/NotPaused | PodReady",
        "Ready=True/PodReady UpToDate=False/PlanFailed Stalled=False/Progressing | PlanFailed",
        "Ready=True/AllNodesReady UpToDate=False/RolledBack | RolledBack",
        "Ready=True/PodReady UpToDate=True/UpToDate UpgradesReady=True/Scheduled | PodReady",
        "Ready=True/PodReady UpToDate=True/UpToDate UpgradesReady=False/NotListed | NotListed",
        "Ready=True/PodReady UpToDate=False/Outdated UpgradesReady=False/NotListed | Outdated",
        "Ready=False/PodNotReady UpToDate=True/UpToDate UpgradesReady=False/NotListed |"
            + " PodNotReady",
        "Ready=True/PodReady UpToDate=True/UpToDate DataVolumeResized=False/Resizing | PodReady",
        "Ready=True/PodReady UpToDate=True/UpToDate DataVolumeResized=False/CannotShrink |"
            + " CannotShrink",
        "Ready=True/PodReady UpToDate=True/UpToDate DataVolumeModified=False/Modifying | PodReady",
        "Ready=True/PodReady UpToDate=True/UpToDate DataVolumeModified=False/ModifyPending |"
            + " ModifyPending",
        "Ready=True/PodReady UpToDate=False/DataVolumeAtRisk DataVolumeAtRisk=True/ClaimLost |"
            + " ClaimLost",
        "Ready=True/PodReady UpToDate=True/UpToDate DataVolumeAtRisk=False/NotAtRisk | PodReady",
        "Ready=True/AllNodesReady UpToDate=False/Outdated Paused=True/Paused | Paused",
        "Ready=False/CrashLoop UpToDate=True/UpToDate Paused=True/Paused | CrashLoop",
        "Ready=False/HaltedAtUpgrade UpToDate=True/UpToDate Stalled=False/NotStalled |"
            + " HaltedAtUpgrade",
        "Ready=False/Paused UpToDate=False/Outdated Paused=True/Paused | Paused",
        "Ready=False/PodNotReady UpToDate=True/UpToDate Paused=False/Pausing | Pausing",
        "Ready=True/AllNodesReady UpToDate=False/Outdated Stalled=True/ApplyRefused | ApplyRefused",
        "Ready=True/PodReady UpToDate=False/PlanActive | PlanActive",
        "Ready=False/PodReplacing UpToDate=False/PlanActive | PlanActive",
        "Ready=False/ImagePull UpToDate=False/PlanActive | ImagePull",
        "Ready=False/NoPod UpToDate=False/PlanActive | NoPod",
        "Ready=True/AllNodesReady UpToDate=False/RollingOut | RollingOut",
        "Ready=False/PodReplacing UpToDate=False/RollingOut | RollingOut",
        "Ready=False/Starting UpToDate=False/RollingOut | RollingOut",
        "Ready=False/NodesInitializing UpToDate=False/RollingOut | RollingOut",
        "Ready=False/PodReplacing UpToDate=False/RolledBack | RolledBack",
        "Ready=False/CrashLoop UpToDate=False/RollingOut | CrashLoop",
        "Ready=False/HaltedAtUpgrade UpToDate=False/RollingOut | HaltedAtUpgrade",
        "Ready=False/PodReplacing UpToDate=False/RollingOut Stalled=True/NodeLost | NodeLost",
        "Ready=False/PodNotReady UpToDate=False/Outdated | PodNotReady",
        "Ready=False/InvalidSpec UpToDate=False/InvalidSpec Stalled=True/ImagePull | InvalidSpec",
      })
  void theFirstThatAppliesIsShown(String conditions, String reason) {
    List<Condition> list =
        Arrays.stream(conditions.trim().split(" ")).map(FirstReasonTest::condition).toList();

    assertThat(Conditions.firstReason(list)).isEqualTo(reason);
  }

  @Test
  void nothingIsShownBeforeAnythingIsSaid() {
    assertThat(Conditions.firstReason(null)).isNull();
  }

  private static Condition condition(String text) {
    String[] parts = text.split("[=/]");
    ConditionStatus status = ConditionStatus.of(parts[1].equals("True"));
    return new Condition(parts[0], status, 1L, Instant.EPOCH, parts[2], "");
  }
}
