package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class ReasonTest {

  @Test
  void aReasonThatThisBuildDoesNotKnowIsKept() {
    assertThat(condition("OfAnotherBuild").storedReason()).hasToString("OfAnotherBuild");
  }

  @Test
  void aConditionWithoutAReasonCanBeSaidAgain() {
    assertThat(condition(null).storedReason()).hasToString("Unknown");
  }

  @Test
  void aConditionIsForTheReasonsThatItHas() {
    assertThat(condition("Paused").isFor(NodeReason.OUTDATED, NodeReason.PAUSED)).isTrue();
    assertThat(condition("Paused").isFor(NodeReason.OUTDATED)).isFalse();
    assertThat(condition(null).isFor(NodeReason.PAUSED)).isFalse();
  }

  private static Condition condition(String reason) {
    return new Condition("Ready", ConditionStatus.TRUE, 1L, Instant.EPOCH, reason, "message");
  }
}
