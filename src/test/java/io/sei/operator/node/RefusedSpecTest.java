package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The schema takes some specs of which the API server then refuses what they come to. */
class RefusedSpecTest extends ConfigTestCase {

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'podLabels':{'not a label':'x'} | 'podLabels':null | not a label",
        "'podLabels':{'a':'not a value'} | 'podLabels':null | not a value"
      })
  void aNewNodeSaysWhatIsWrongAndStartsOnceItIsNot(String fields, String fix, String says) {
    create(specOf("'fullNode':{}," + fields));

    eventually(
        () -> {
          assertThat(node().getStatus().phase()).isEqualTo(NodePhase.FAILED);
          assertCondition(
              NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, NodeReason.PLAN_FAILED);
          assertThat(condition(NodeConditionType.UP_TO_DATE).message())
              .contains("the API server refuses the", says);
        });
    patch("{'spec':{" + fix + "}}");

    awaitUpToDate(A);
    // Events follow the status, in order: once the last is there, no earlier one is to come.
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(1));
    assertThat(occurrences("PlanFailed")).isEqualTo(1);
  }

  @Test
  void aRunningNodeRunsOnAndSaysWhatIsWrong() {
    createRunning();
    String pod = podUid();

    patch("{'spec':{'image':'%s','podLabels':{'a':'not a value'}}}".formatted(B));

    awaitCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, NodeReason.PLAN_FAILED);
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
    patch("{'spec':{'podLabels':null}}");

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
  }

  @Test
  void aPausedNodeSaysWhatIsWrong() {
    createRunning();

    patch("{'spec':{'paused':true,'podLabels':{'a':'not a value'}}}");

    awaitCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, NodeReason.REFUSED);
    patch("{'spec':{'paused':null,'podLabels':null}}");

    awaitUpToDate(A);
  }
}
