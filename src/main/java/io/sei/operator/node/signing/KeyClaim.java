package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SigningKeyClaim;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.KeyMaterial;
import java.time.Instant;
import java.util.Optional;

/** A node's claim to its signing key, and the condition that says so, in one write. */
final class KeyClaim {

  private KeyClaim() {}

  /** Says in the condition whether the node may have its key, and claims it or not. */
  static void offer(NodeReconcile reconcile, Verdict verdict) {
    reconcile.offer(NodeConditionType.SIGNING_KEY_READY, verdict);
    follow(reconcile, verdict.status(), reconcile.now());
  }

  /**
   * Claims the key, or withdraws the claim, with what the condition is to say.
   *
   * @param since when a claim began that is not recorded yet
   */
  static void follow(NodeReconcile reconcile, ConditionStatus ready, Instant since) {
    Optional<String> secret =
        KeyMaterial.of(reconcile.node().getSpec())
            .signingKey()
            .filter(it -> ready == ConditionStatus.TRUE);
    reconcile.update(
        status ->
            status.withSigningKey(
                secret
                    .map(it -> SigningKeyClaim.after(status.signingKey(), it, since))
                    .orElse(null)));
  }
}
