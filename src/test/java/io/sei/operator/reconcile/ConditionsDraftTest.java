package io.sei.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each condition has one owner, whose proposal stands. */
class ConditionsDraftTest {

  private final ConditionsDraft conditions = new ConditionsDraft(List.of(), 1L, Instant.EPOCH);

  @Test
  void aSecondVerdictOnAConditionFails() {
    conditions.put(NodeConditionType.READY, ConditionProposal.yes(NodeReason.POD_READY, "it is"));

    assertThatThrownBy(
            () ->
                conditions.put(
                    NodeConditionType.READY, ConditionProposal.no(NodeReason.NO_POD, "it is not")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Ready");
  }

  @Test
  void theOwnerOverrulesWhatIsOffered() {
    conditions.offer(NodeConditionType.READY, ConditionProposal.yes(NodeReason.POD_READY, "it is"));
    conditions.put(NodeConditionType.READY, ConditionProposal.no(NodeReason.NO_POD, "it is not"));

    assertThat(conditions.conditions()).extracting(Condition::reason).containsExactly("NoPod");
  }
}
