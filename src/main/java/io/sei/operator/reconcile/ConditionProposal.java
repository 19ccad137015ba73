package io.sei.operator.reconcile;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Progress;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.diagnosis.Finding;
import java.time.Instant;
import java.util.Optional;

/** Proposed status, reason and message of a condition. */
public record ConditionProposal(ConditionStatus status, Reason reason, String message) {

  /** True or False. */
  public static ConditionProposal of(boolean value, Reason reason, String message) {
    return new ConditionProposal(ConditionStatus.of(value), reason, message);
  }

  /** True. */
  public static ConditionProposal yes(Reason reason, String message) {
    return of(true, reason, message);
  }

  /** False. */
  public static ConditionProposal no(Reason reason, String message) {
    return of(false, reason, message);
  }

  /** Proposes the status Unknown. */
  public static ConditionProposal unknown(Reason reason, String message) {
    return new ConditionProposal(ConditionStatus.UNKNOWN, reason, message);
  }

  /** True, because of what keeps the resource from making progress. */
  public static ConditionProposal yes(Finding finding) {
    return yes(finding.reason(), finding.message());
  }

  /** False, because of what keeps the resource from making progress. */
  public static ConditionProposal no(Finding finding) {
    return no(finding.reason(), finding.message());
  }

  /** The record of what the condition Stalled says with this. */
  public Progress progress(Progress before, Instant now) {
    Optional<Reason> on = Optional.of(reason).filter(candidate -> status == ConditionStatus.TRUE);
    return Progress.after(before, on, NodeReason.RECOVERING.is(reason.toString()), now);
  }

  /** Proposes a stored condition again, for the generation that is observed. */
  public static ConditionProposal kept(Condition said) {
    return new ConditionProposal(said.status(), said.storedReason(), said.message());
  }
}
