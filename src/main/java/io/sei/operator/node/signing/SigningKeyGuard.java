package io.sei.operator.node.signing;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.KeyUsage;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.reconcile.Veto;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Keeps a second node from signing with a key. Every way to a pod leads past it: a plan, resuming
 * from a pause, and a StatefulSet that somebody deleted. A node whose StatefulSet has a pod with
 * the key, or will have one, is never kept from it.
 */
public record SigningKeyGuard(KubeApi api, SigningScope scope) {

  /** Whether the node may have a pod with its signing key, if it has one, now. */
  public Veto check(NodePass pass) {
    return check(pass, Optional.ofNullable(pass.stored().signingPublicKey()), true);
  }

  /**
   * The same for a pod in which seid is not started. It needs no other key than the pods before it:
   * a Secret may hold one by now that is refused, which is no reason for seid to go on.
   */
  Veto checkIdle(NodePass pass) {
    Veto veto = check(pass);
    Optional<String> before = keyBefore(pass);
    boolean goesOn =
        veto instanceof Veto.Refusal
            && before.isPresent()
            && !before.equals(Optional.ofNullable(pass.stored().signingPublicKey()));
    if (!goesOn) {
      return veto;
    }
    pass.update(status -> status.withSigningPublicKey(before.get()));
    return Veto.writeFirst();
  }

  /** For which key the node's StatefulSet makes pods that mount the Secret of its spec. */
  private static Optional<String> keyBefore(NodePass pass) {
    return pass.node()
        .getSpec()
        .signingKeySecret()
        .flatMap(secret -> pass.view().statefulSet().filter(it -> KeyHolders.holds(it, secret)))
        .flatMap(it -> PodSigningKey.of(it.getSpec().getTemplate().getSpec()));
  }

  /**
   * Vetoes a pod that comes later.
   *
   * @param key the public key that its Secret was just found to hold, or that its signer has
   */
  Veto reserve(NodePass pass, Optional<String> key) {
    return check(pass, key, false);
  }

  /**
   * Whether seid may start in the pod there is. A StatefulSet makes one again whatever has become
   * of the last one, and on another machine.
   */
  Veto mayRelease(NodePass pass) {
    SigningRecord last = pass.stored().signingRecord();
    Optional<Pod> next =
        pass.view()
            .livePod()
            .filter(it -> last != null && !it.getMetadata().getUid().equals(last.podUid()));
    return scope
        .register()
        .flatMap(
            register ->
                next.flatMap(PodSigningKey::of)
                    .map(key -> SigningScope.declaring(pass, key))
                    .map(self -> register.follow(self, next.get().getMetadata().getUid())))
        .orElseGet(Veto::none);
  }

  private Veto check(NodePass pass, Optional<String> key, boolean arming) {
    SeiNodeSpec spec = pass.node().getSpec();
    if (spec.remoteSigner().isPresent() && !pass.view().isPaused()) {
      return new RemoteClaim(scope).check(pass, spec.remoteSigner().get(), arming);
    }
    Optional<String> secret = spec.signingKeySecret();
    if (secret.isEmpty() || pass.view().isPaused()) {
      return Veto.none();
    }
    Optional<StatefulSet> own =
        pass.view().statefulSet().filter(it -> KeyHolders.holds(it, secret.get()));
    if (own.isPresent() && isForTheKey(own.get(), key)) {
      if (!arming) {
        scope.noteAgain(pass, signer(pass, key, secret.get()).orElseThrow());
      }
      return Veto.none();
    }
    if (own.isPresent()) {
      return recorded(pass, key, secret.get(), arming, Veto::none);
    }
    return claim(pass, key, secret.get(), arming);
  }

  /** A plan may have recorded another key than the one that its pod has. */
  private static boolean isForTheKey(StatefulSet own, Optional<String> key) {
    return key.equals(PodSigningKey.of(own.getSpec().getTemplate().getSpec()));
  }

  private Veto claim(NodePass pass, Optional<String> key, String secret, boolean arming) {
    KeyUse use = KeyHolders.decide(pass.node(), secret, KeyUsage.of(api, pass.namespace()));
    return switch (use) {
      case KeyUse.InUse taken -> {
        KeyClaim.offer(pass, no(NodeReason.IN_USE, taken.message()));
        release(pass, key);
        yield Veto.of(NodeReason.IN_USE, taken.message(), Recheck.UNWATCHED);
      }
      case KeyUse.Unclaimed _ -> recorded(pass, key, secret, arming, () -> claimed(pass, secret));
      case KeyUse.Contended contended ->
          recorded(
              pass,
              key,
              secret,
              arming,
              () -> Veto.of(NodeReason.IN_USE, contended.message(), Recheck.RACE));
      case KeyUse.Free _ -> recorded(pass, key, secret, arming, Veto::none);
    };
  }

  private Veto claimed(NodePass pass, String secret) {
    KeyClaim.offer(
        pass,
        yes(
            NodeReason.SIGNING_KEY_VALIDATED,
            scope.words("Secret " + secret + " is available to this node")));
    return Veto.writeFirst();
  }

  /**
   * Has the record of the key say that it is this node's, before anything else. The Secret is read
   * again: what a plan recorded of it earlier proves nothing of what it holds now.
   */
  private Veto recorded(
      NodePass pass, Optional<String> key, String secret, boolean arming, Supplier<Veto> then) {
    if (scope.register().isEmpty()) {
      return then.get();
    }
    Optional<Signer> self = signer(pass, key, secret);
    if (self.isEmpty()) {
      return notReady(pass, "Secret " + secret + " holds no signing key that can be recorded");
    }
    SigningKeyLock register = scope.register().get();
    if (!self.get().proves() && !register.isHolder(self.get())) {
      return notReady(
          pass,
          "Secret %s does not hold the signing key %s that the plan of this node has recorded; put it back, or request a restart with the annotation sei.io/restart-requested-at"
              .formatted(secret, self.get().record()));
    }
    return KeyClaim.announced(pass, register.claim(self.get(), arming), then);
  }

  private static Veto notReady(NodePass pass, String message) {
    KeyClaim.offer(pass, no(NodeReason.SIGNING_KEY_NOT_READY, message));
    return Veto.of(NodeReason.SIGNING_KEY_NOT_READY, message, Recheck.UNWATCHED);
  }

  /** A pod that goes on signing with the key keeps it, whatever the spec asks for since. */
  private void release(NodePass pass, Optional<String> key) {
    key.filter(own -> !signs(pass, own))
        .map(own -> SigningScope.declaring(pass, own))
        .ifPresent(self -> scope.register().ifPresent(it -> it.release(self)));
  }

  private static boolean signs(NodePass pass, String key) {
    return pass.view().livePod().flatMap(PodSigningKey::of).filter(key::equals).isPresent();
  }

  /** The node with the key that its next pod is started for, or would be. */
  private Optional<Signer> signer(NodePass pass, Optional<String> key, String secret) {
    Optional<String> held = keyOf(api, pass, secret);
    return key.or(() -> held).map(own -> SigningScope.proving(pass, own, held));
  }

  /** The public key in a Secret as it is now; empty if it holds none. */
  static Optional<String> keyOf(KubeApi api, NodePass pass, String secret) {
    return KeySecrets.publicKey(secret, api.get(Secret.class, pass.namespace(), secret));
  }
}
