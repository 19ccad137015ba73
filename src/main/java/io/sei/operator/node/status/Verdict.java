package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.diagnosis.Finding;

/** What a condition of a node is to say. */
record Verdict(ConditionStatus status, Reason reason, String message) {

  static Verdict yes(NodeReason reason, String message) {
    return new Verdict(ConditionStatus.TRUE, reason, message);
  }

  static Verdict no(NodeReason reason, String message) {
    return new Verdict(ConditionStatus.FALSE, reason, message);
  }

  /** Not so, because of what keeps the node from making progress. */
  static Verdict no(Finding finding) {
    return new Verdict(ConditionStatus.FALSE, finding.reason(), finding.message());
  }

  /** Stalled, because of what keeps the node from making progress. */
  static Verdict stalled(Finding finding) {
    return new Verdict(ConditionStatus.TRUE, finding.reason(), finding.message());
  }

  static Verdict unknown(NodeReason reason, String message) {
    return new Verdict(ConditionStatus.UNKNOWN, reason, message);
  }

  /** What a condition says already, of the generation that is looked at. */
  static Verdict kept(Condition said) {
    return new Verdict(said.status(), said.storedReason(), said.message());
  }
}
