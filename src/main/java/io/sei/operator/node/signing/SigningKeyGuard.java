package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.Sighting;
import io.sei.operator.reconcile.Permit;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.KeyMaterial;
import io.sei.operator.render.SigningKeyCheck;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Keeps a second node from signing with a key. Every way to a pod leads past it: a plan, resuming
 * from a pause, and a StatefulSet that somebody deleted. A node whose StatefulSet has a pod with
 * the key, or will have one, is never kept from it.
 */
public record SigningKeyGuard(KubeApi api, SigningScope scope) {

  /** Whether the node may have a pod with its signing key, if it has one, now. */
  public Permit check(NodeReconcile reconcile) {
    return check(reconcile, true);
  }

  /**
   * The same for a pod in which seid is not started. It needs no other key than the pods before it:
   * a Secret may hold one by now that is refused, which is no reason for seid to go on.
   */
  Permit checkIdle(NodeReconcile reconcile) {
    Permit permit = check(reconcile);
    Optional<String> before = keyBefore(reconcile);
    boolean goesOn =
        permit instanceof Permit.No
            && before.isPresent()
            && !before.equals(Optional.ofNullable(reconcile.status().signingPublicKey()));
    if (!goesOn) {
      return permit;
    }
    reconcile.update(status -> status.withSigningPublicKey(before.get()));
    return Permit.writeFirst();
  }

  /** For which key the node's StatefulSet makes pods that mount the Secret of its spec. */
  private static Optional<String> keyBefore(NodeReconcile reconcile) {
    return KeyMaterial.of(reconcile.node().getSpec())
        .signingKey()
        .flatMap(
            secret -> reconcile.snapshot().statefulSet().filter(it -> KeyHolders.holds(it, secret)))
        .flatMap(it -> SigningKeyCheck.publicKeyOf(it.getSpec().getTemplate().getSpec()));
  }

  /** The same for a pod that comes later. */
  Permit reserve(NodeReconcile reconcile) {
    return check(reconcile, false);
  }

  /**
   * Whether seid may start in the pod there is. A StatefulSet makes one again whatever has become
   * of the last one, and on another machine.
   */
  Permit mayRelease(NodeReconcile reconcile) {
    SigningRecord last = reconcile.status().signingRecord();
    Optional<Pod> next =
        reconcile
            .snapshot()
            .livePod()
            .filter(it -> last != null && !it.getMetadata().getUid().equals(last.podUid()));
    return scope
        .register()
        .flatMap(
            register ->
                next.flatMap(SigningKeyCheck::publicKeyOf)
                    .map(key -> SigningScope.declaring(reconcile, key))
                    .map(self -> register.follow(self, next.get().getMetadata().getUid())))
        .orElseGet(Permit::yes);
  }

  private Permit check(NodeReconcile reconcile, boolean arming) {
    SeiNodeSpec spec = reconcile.node().getSpec();
    if (spec.remoteSigner().isPresent() && !reconcile.snapshot().isPaused()) {
      return new RemoteClaim(scope).check(reconcile, spec.remoteSigner().get(), arming);
    }
    Optional<String> secret = KeyMaterial.of(spec).signingKey();
    if (secret.isEmpty() || reconcile.snapshot().isPaused()) {
      return Permit.yes();
    }
    Optional<StatefulSet> own =
        reconcile.snapshot().statefulSet().filter(it -> KeyHolders.holds(it, secret.get()));
    if (own.isPresent() && isForTheKey(own.get(), reconcile)) {
      if (!arming) {
        scope.noteAgain(reconcile, signer(reconcile, secret.get()).orElseThrow());
      }
      return Permit.yes();
    }
    if (own.isPresent()) {
      return recorded(reconcile, secret.get(), arming, Permit::yes);
    }
    return claim(reconcile, secret.get(), arming);
  }

  /** A plan may have recorded another key than the one that its pod has. */
  private static boolean isForTheKey(StatefulSet own, NodeReconcile reconcile) {
    return Optional.ofNullable(reconcile.status().signingPublicKey())
        .equals(SigningKeyCheck.publicKeyOf(own.getSpec().getTemplate().getSpec()));
  }

  private Permit claim(NodeReconcile reconcile, String secret, boolean arming) {
    KeyUse use =
        KeyHolders.decide(reconcile.node(), secret, Sighting.of(api, reconcile.namespace()));
    return switch (use) {
      case KeyUse.InUse taken -> {
        KeyClaim.offer(reconcile, Verdict.no(NodeReason.IN_USE, taken.message()));
        release(reconcile);
        yield Permit.no(NodeReason.IN_USE, taken.message(), Recheck.UNWATCHED);
      }
      case KeyUse.Unclaimed _ ->
          recorded(reconcile, secret, arming, () -> claimed(reconcile, secret));
      case KeyUse.Contended contended ->
          recorded(
              reconcile,
              secret,
              arming,
              () -> Permit.no(NodeReason.IN_USE, contended.message(), Recheck.RACE));
      case KeyUse.Free _ -> recorded(reconcile, secret, arming, Permit::yes);
    };
  }

  private Permit claimed(NodeReconcile reconcile, String secret) {
    KeyClaim.offer(
        reconcile,
        Verdict.yes(
            NodeReason.SIGNING_KEY_VALIDATED,
            scope.words("Secret " + secret + " is available to this node")));
    return Permit.writeFirst();
  }

  /**
   * Has the record of the key say that it is this node's, before anything else. The Secret is read
   * again: what a plan recorded of it earlier proves nothing of what it holds now.
   */
  private Permit recorded(
      NodeReconcile reconcile, String secret, boolean arming, Supplier<Permit> then) {
    if (scope.register().isEmpty()) {
      return then.get();
    }
    Optional<Signer> self = signer(reconcile, secret);
    if (self.isEmpty()) {
      return notReady(reconcile, "Secret " + secret + " holds no signing key that can be recorded");
    }
    KeyRegister register = scope.register().get();
    if (!self.get().proves() && !register.isHolder(self.get())) {
      return notReady(
          reconcile,
          "Secret %s does not hold the signing key %s that the plan of this node has recorded; put it back, or request a restart with the annotation sei.io/restart-requested-at"
              .formatted(secret, self.get().record()));
    }
    return KeyClaim.announced(reconcile, register.claim(self.get(), arming), then);
  }

  private static Permit notReady(NodeReconcile reconcile, String message) {
    KeyClaim.offer(reconcile, Verdict.no(NodeReason.SIGNING_KEY_NOT_READY, message));
    return Permit.no(NodeReason.SIGNING_KEY_NOT_READY, message, Recheck.UNWATCHED);
  }

  /** A pod that goes on signing with the key keeps it, whatever the spec asks for since. */
  private void release(NodeReconcile reconcile) {
    Optional.ofNullable(reconcile.status().signingPublicKey())
        .filter(key -> !signs(reconcile, key))
        .map(key -> SigningScope.declaring(reconcile, key))
        .ifPresent(self -> scope.register().ifPresent(it -> it.release(self)));
  }

  private static boolean signs(NodeReconcile reconcile, String key) {
    return reconcile
        .snapshot()
        .livePod()
        .flatMap(SigningKeyCheck::publicKeyOf)
        .filter(key::equals)
        .isPresent();
  }

  /** The node with the key that its next pod is started for, or would be. */
  private Optional<Signer> signer(NodeReconcile reconcile, String secret) {
    Optional<String> held = keyOf(api, reconcile, secret);
    return Optional.ofNullable(reconcile.status().signingPublicKey())
        .or(() -> held)
        .map(key -> SigningScope.proving(reconcile, key, held));
  }

  /** The public key in a Secret as it is now; empty if it holds none. */
  static Optional<String> keyOf(KubeApi api, NodeReconcile reconcile, String secret) {
    return KeySecrets.publicKey(secret, api.get(Secret.class, reconcile.namespace(), secret));
  }
}
