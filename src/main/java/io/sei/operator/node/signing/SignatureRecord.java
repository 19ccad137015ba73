package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.OwnSignatures;
import io.sei.operator.diagnosis.CauseOfDeath;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodSigningKey;
import java.time.Duration;
import java.time.Instant;

/**
 * Records with which key a validator was Ready. With {@code double-sign-check-height} seid does not
 * start while the latest blocks have signatures of its key, and after every restart those are its
 * own at first.
 */
record SignatureRecord() {

  /** While it fetches blocks, a seid that is about to find signatures may be Ready for a moment. */
  private static final Duration SETTLES = Duration.ofMinutes(1);

  void conditions(ConditionParts conditions) {
    conditions.record(this::record);
  }

  void record(NodePass pass) {
    if (pass.node().getSpec().validator() == null) {
      return;
    }
    pass.view().livePod().filter(pod -> !PodFacts.isIdle(pod)).ifPresent(pod -> record(pass, pod));
  }

  private static void record(NodePass pass, Pod pod) {
    Instant now = pass.view().now();
    OwnSignatures after = after(pass.draft().ownSignatures(), pod, now);
    pass.update(status -> status.withOwnSignatures(after));
    if (after != null && after.foundSince() != null && PodFacts.isReady(pod)) {
      pass.recheckAfter(SETTLES);
    }
  }

  /** Returns the record after a look at a pod with a seid; null if nothing is known. */
  static OwnSignatures after(OwnSignatures before, Pod pod, Instant now) {
    String key = PodSigningKey.of(pod).orElse(null);
    if (PodFacts.isReady(pod)) {
      boolean goesOn = before != null && before.foundSince() != null && before.isOf(key);
      return goesOn && !isSettled(pod, now) ? before : new OwnSignatures(key, null);
    }
    if (before == null || !CauseOfDeath.isForSignatures(pod)) {
      return before;
    }
    // Those of a key that the node has not signed with are another signer's.
    boolean known = before.foundSince() != null;
    return before.isOf(key)
        ? before.withFoundSince(known ? before.foundSince() : now)
        : before.withFoundSince(null);
  }

  private static boolean isSettled(Pod pod, Instant now) {
    return PodFacts.readySince(pod).filter(since -> !since.plus(SETTLES).isAfter(now)).isPresent();
  }
}
