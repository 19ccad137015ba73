package io.sei.operator.node.feature;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.Instant;

/**
 * PURE: what a status records together with a condition. The condition is for people; what is
 * decided later is decided on the record.
 */
public final class ConditionRecord {

  private ConditionRecord() {}

  /** The status with what it records when a condition is set. */
  public static SeiNodeStatus of(
      SeiNodeStatus status, NodeConditionType type, ConditionProposal proposal, Instant now) {
    boolean holds = proposal.status() == ConditionStatus.TRUE;
    return switch (type) {
      case READY -> status.withReadiness(holds, now);
      case PAUSED -> status.withPaused(holds, now);
      case NODE_UPDATE_IN_PROGRESS ->
          status.withUpdated(NodeReason.UPDATE_COMPLETE.is(proposal.reason().toString()), now);
      case STALLED -> status.withProgress(proposal.progress(status.progress(), now));
      default -> status;
    };
  }
}
