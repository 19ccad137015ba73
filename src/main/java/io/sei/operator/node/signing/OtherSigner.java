package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.OwnSignatures;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SigningElsewhere;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.CauseOfDeath;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodSigningKey;
import java.time.Instant;
import java.util.Optional;

/**
 * Records that a seid found signatures of its key which its node has not made. The record holds the
 * node: seid itself would be started again and again, and sign once the other one has been away for
 * as many blocks as it looks at.
 */
record OtherSigner() {

  void conditions(ConditionParts conditions) {
    conditions.record(this::record);
  }

  void record(NodePass pass) {
    if (pass.node().getSpec().validator() == null) {
      return;
    }
    SeiNodeStatus before = pass.draft();
    SeiNodeStatus after =
        after(
            before,
            pass.view().livePod().filter(pod -> !PodFacts.isIdle(pod)),
            pass.view().retryRequest().orElse(null),
            pass.view().now());
    if (!after.equals(before)) {
      pass.update(status -> after);
      pass.recheckAfter(Recheck.RACE);
    }
    if (after.signingElsewhere() != null) {
      pass.offer(
          FindingRank.SIGNING_ELSEWHERE,
          new Finding(
              StallReason.SIGNING_ELSEWHERE,
              "seid found signatures of this validator's key in the latest blocks that it did not"
                  + " make, so it is held",
              "find what else signs with this key and stop it permanently, then set the annotation"
                  + " sei.io/retry of the node to a new value",
              true));
    }
  }

  /**
   * Returns the status after a look at the pod.
   *
   * @param pod one that has a seid
   * @param retry the value of the annotation sei.io/retry; null for none
   */
  static SeiNodeStatus after(SeiNodeStatus before, Optional<Pod> pod, String retry, Instant now) {
    SigningElsewhere known = before.signingElsewhere();
    if (known == null) {
      return pod.filter(CauseOfDeath::isForSignatures)
          .filter(any -> !isExplained(before.ownSignatures(), now))
          .map(
              present ->
                  before.withSigningElsewhere(
                      new SigningElsewhere(PodSigningKey.of(present).orElse(null), now, retry)))
          .orElse(before);
    }
    // What is still found then is the node's own, by the word of who answered.
    return known.isAnswered(retry)
        ? before
            .withSigningElsewhere(null)
            .withOwnSignatures(new OwnSignatures(known.publicKey(), now))
        : before;
  }

  private static boolean isExplained(OwnSignatures own, Instant now) {
    return own != null && own.explainFor(now).isPresent();
  }
}
