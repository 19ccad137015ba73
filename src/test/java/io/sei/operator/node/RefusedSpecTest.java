package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The schema takes some specs of which the API server then refuses what they come to. */
class RefusedSpecTest extends ConfigTestCase {

  @Test
  void aNewNodeSaysWhatIsWrongAndStartsOnceItIsNotAndARunningOneRunsOn() {
    create(specOf("'fullNode':{},'resources':{'requests':{'cpu':'2'},'limits':{'cpu':'1'}}"));

    eventually(
        () -> {
          assertCondition(
              NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.APPLY_REFUSED);
          assertThat(condition(NodeConditionType.STALLED).message())
              .contains("the API server refuses", "cpu limit");
        });
    patch("{'spec':{'resources':null}}");

    awaitUpToDate(A);
    eventually(() -> assertThat(occurrences("Recovered")).isEqualTo(1));
    assertThat(occurrences("Stalled")).isEqualTo(1);
    assertRunsOnAndSaysWhatIsWrong();
  }

  private void assertRunsOnAndSaysWhatIsWrong() {
    String pod = podUid();

    patch("{'spec':{'image':'%s','podLabels':{'a':'not a value'}}}".formatted(B));

    awaitStalled(StallReason.APPLY_REFUSED);
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
    patch("{'spec':{'podLabels':null}}");

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
  }

  @Tag("long")
  @Test
  void aPausedNodeSaysWhatIsWrong() {
    createRunning();

    patch("{'spec':{'paused':true,'podLabels':{'a':'not a value'}}}");

    awaitCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, StallReason.APPLY_REFUSED);
    patch("{'spec':{'paused':null,'podLabels':null}}");

    awaitUpToDate(A);
  }
}
