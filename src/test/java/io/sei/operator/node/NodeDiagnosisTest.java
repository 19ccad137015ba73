package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.diagnosis.SidecarTrouble;
import org.junit.jupiter.api.Test;

/** Which words of a task are the evidence. */
class NodeDiagnosisTest {

  private static final PlannedTask RETRIED =
      PlannedTaskBuilder.builder()
          .type("mark-ready")
          .message("the sidecar is running mark-ready")
          .error("disk is full")
          .build();

  @Test
  void taskThatRunsAgainIsToldByWhatItFailedWith() {
    assertThat(NodeDiagnosis.words(SidecarTrouble.TASK_FAILED, RETRIED)).isEqualTo("disk is full");
  }

  @Test
  void sidecarThatCannotBeAskedIsToldByWhatWasMetLast() {
    assertThat(NodeDiagnosis.words(SidecarTrouble.UNREACHABLE, RETRIED.withMessage("refused")))
        .isEqualTo("refused");
    assertThat(NodeDiagnosis.words(SidecarTrouble.NONE, RETRIED.withMessage(null)))
        .isEqualTo("disk is full");
  }

  @Test
  void aTaskOfTheOperatorIsNoWordOfTheSidecar() {
    PlannedTask waits =
        RETRIED.with(it -> it.type("observe-image").message("the sidecar does not respond"));

    assertThat(NodeDiagnosis.words(SidecarTrouble.UNREACHABLE, waits)).isNull();
  }
}
