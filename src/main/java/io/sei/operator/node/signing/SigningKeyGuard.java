package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.Sighting;
import io.sei.operator.reconcile.Permit;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.KeyMaterial;
import java.util.Optional;

/**
 * Keeps a second node from signing with a key. Every way to a pod leads past it: a plan, resuming
 * from a pause, and a StatefulSet that somebody deleted. A node that holds the key is never kept
 * from its pod.
 */
public record SigningKeyGuard(KubeApi api) {

  /** Whether the node may have a pod with its signing key, if it has one. */
  public Permit check(NodeReconcile reconcile) {
    Optional<String> secret = KeyMaterial.of(reconcile.node().getSpec()).signingKey();
    boolean free =
        secret.isEmpty()
            || reconcile.snapshot().isPaused()
            || reconcile
                .snapshot()
                .statefulSet()
                .filter(own -> KeyHolders.holds(own, secret.get()))
                .isPresent();
    return free ? Permit.yes() : claim(reconcile, secret.get());
  }

  private Permit claim(NodeReconcile reconcile, String secret) {
    KeyUse use =
        KeyHolders.decide(reconcile.node(), secret, Sighting.of(api, reconcile.namespace()));
    return switch (use) {
      case KeyUse.InUse taken -> {
        KeyClaim.offer(reconcile, Verdict.no(NodeReason.IN_USE, taken.message()));
        yield Permit.no(NodeReason.IN_USE, taken.message(), Recheck.UNWATCHED);
      }
      case KeyUse.Unclaimed _ -> {
        KeyClaim.offer(
            reconcile,
            Verdict.yes(
                NodeReason.SIGNING_KEY_VALIDATED,
                "Secret " + secret + " is available to this node"));
        yield Permit.writeFirst();
      }
      case KeyUse.Contended contended ->
          Permit.no(NodeReason.IN_USE, contended.message(), Recheck.RACE);
      case KeyUse.Free _ -> Permit.yes();
    };
  }
}
