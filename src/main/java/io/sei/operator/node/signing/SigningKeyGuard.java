package io.sei.operator.node.signing;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.KeyUsage;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.reconcile.Veto;
import java.time.Duration;
import java.util.Optional;

/**
 * Keeps a second node from signing with a key. Every way to a pod leads past it: a plan, resuming
 * from a pause, and a StatefulSet that a user deleted. A node whose StatefulSet has a pod with the
 * key, or will have one, is never kept from it.
 */
record SigningKeyGuard(KubeApi api, SigningScope scope) {

  /** Message about a key of which only seid learns whether the signer has it. */
  static final String DECLARED = "spec.validator.remoteSigner declares the key";

  /** Vetoes a pod that follows at once. */
  Veto check(NodePass pass) {
    return check(pass, Optional.ofNullable(pass.stored().signingPublicKey()), true);
  }

  /**
   * Vetoes a pod in which seid is not started. It needs no other key than the pods before it: a
   * Secret may hold one by now that is refused, which is no reason for seid to go on.
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

  /**
   * Returns the key for which the node's StatefulSet creates pods that mount the Secret of its
   * spec.
   */
  private static Optional<String> keyBefore(NodePass pass) {
    return pass.node()
        .getSpec()
        .signingKeySecret()
        .flatMap(secret -> ownWith(pass, secret))
        .flatMap(own -> PodSigningKey.of(template(own)));
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
   * Vetoes the start of seid in a pod that the record of its key does not name yet. A StatefulSet
   * makes one again whatever has become of the last one, and on another machine; the record names
   * it once the last one has ended.
   */
  Veto mayRelease(NodePass pass) {
    SeiNodeSpec spec = pass.node().getSpec();
    boolean signs = spec.signingKeySecret().isPresent() || spec.remoteSigner().isPresent();
    Optional<Pod> pod = pass.view().livePod();
    if (scope.lock().isEmpty() || !signs || pod.isEmpty()) {
      return Veto.none();
    }
    SigningRecord record = pass.stored().signingRecord();
    if (record != null && pod.get().getMetadata().getUid().equals(record.podUid())) {
      return Veto.none();
    }
    Optional<String> key =
        PodSigningKey.of(pod.get()).or(() -> Optional.ofNullable(pass.stored().signingPublicKey()));
    return key.isEmpty()
        ? SigningKeyLock.unrecorded()
        : scope
            .lock()
            .get()
            .follow(
                SigningScope.declaring(pass, key.get()), SigningScope.running(record, pod.get()));
  }

  private Veto check(NodePass pass, Optional<String> key, boolean arming) {
    SeiNodeSpec spec = pass.node().getSpec();
    if (pass.view().isPaused()) {
      return Veto.none();
    }
    if (spec.remoteSigner().isPresent()) {
      return checkRemote(pass, spec.remoteSigner().get(), arming);
    }
    Optional<String> secret = spec.signingKeySecret();
    return secret.isEmpty() ? Veto.none() : checkSecret(pass, key, secret.get(), arming);
  }

  private Veto checkSecret(NodePass pass, Optional<String> key, String secret, boolean arming) {
    Optional<StatefulSet> own = ownWith(pass, secret);
    if (own.isEmpty()) {
      return acquire(pass, key, secret, arming);
    }
    // A plan may have recorded another key than the one that the node's pod has.
    if (!key.equals(PodSigningKey.of(template(own.get())))) {
      return record(pass, key, secret, arming);
    }
    if (!arming) {
      scope.noteAgain(pass, signer(pass, key, secret).orElseThrow());
    }
    return Veto.none();
  }

  private static Optional<StatefulSet> ownWith(NodePass pass, String secret) {
    return pass.view().statefulSet().filter(own -> KeyHolders.holds(own, secret));
  }

  private Veto acquire(NodePass pass, Optional<String> key, String secret, boolean arming) {
    Veto ofNamespace = KeyHolders.decide(pass.node(), secret, KeyUsage.of(api, pass.namespace()));
    if (ofNamespace instanceof Veto.Refusal refusal && !KeyHolders.isContended(refusal)) {
      SigningKeyReady.offer(pass, no(refusal.reason(), refusal.message()));
      release(pass, key);
      return refusal;
    }
    Veto ofRecord = record(pass, key, secret, arming);
    if (!ofRecord.isNone()) {
      return ofRecord;
    }
    if (ofNamespace instanceof Veto.WriteFirst) {
      SigningKeyReady.offer(
          pass,
          yes(
              NodeReason.SIGNING_KEY_VALIDATED,
              scope.words("Secret " + secret + " is available to this node")));
    }
    return ofNamespace;
  }

  /**
   * Has the record of the key say that it is this node's, before anything else. The Secret is read
   * again: what a plan recorded of it earlier proves nothing of what it holds now.
   */
  private Veto record(NodePass pass, Optional<String> key, String secret, boolean arming) {
    if (scope.lock().isEmpty()) {
      return Veto.none();
    }
    Optional<Signer> self = signer(pass, key, secret);
    if (self.isEmpty()) {
      return refuse(
          pass,
          NodeReason.SIGNING_KEY_NOT_READY,
          "Secret " + secret + " holds no signing key that can be recorded",
          Recheck.UNWATCHED);
    }
    SigningKeyLock lock = scope.lock().get();
    if (!self.get().proves() && !lock.isHolder(self.get())) {
      return refuse(
          pass,
          NodeReason.SIGNING_KEY_NOT_READY,
          "Secret %s does not hold the signing key %s that the plan of this node has recorded; put it back, or request a restart with the annotation sei.io/restart-requested-at"
              .formatted(secret, self.get().record()),
          Recheck.UNWATCHED);
    }
    return SigningKeyReady.veto(pass, lock.acquire(self.get(), arming));
  }

  /**
   * Has the record of a key say that the node signs with it by a signer that dials in. One that
   * keeps the key in its own hands serves one node; who else asks it, the record alone can tell.
   */
  private Veto checkRemote(NodePass pass, RemoteSigner signer, boolean arming) {
    if (scope.lock().isEmpty()) {
      return refuse(
          pass,
          NodeReason.SIGNING_KEY_UNGUARDED,
          "a node with a remoteSigner needs the right to the record of its key, which is not used"
              + " where SEI_SIGNING_SCOPE is Namespaces",
          Recheck.CONFLICT);
    }
    Signer self = SigningScope.declaring(pass, signer.publicKey());
    if (isMade(pass, signer)) {
      if (!arming) {
        scope.noteAgain(pass, self);
      }
      return Veto.none();
    }
    Veto veto = SigningKeyReady.veto(pass, scope.lock().get().acquire(self, arming));
    if (veto.isNone()) {
      SigningKeyReady.offer(pass, yes(NodeReason.SIGNING_KEY_VALIDATED, DECLARED));
    }
    return veto;
  }

  /** Returns whether the node's StatefulSet makes pods for this signer. */
  static boolean isMade(NodePass pass, RemoteSigner signer) {
    return pass.view()
        .statefulSet()
        .filter(own -> !own.isMarkedForDeletion())
        .filter(own -> !Integer.valueOf(0).equals(own.getSpec().getReplicas()))
        .map(SigningKeyGuard::template)
        .filter(PodSigningKey::isRemote)
        .flatMap(PodSigningKey::of)
        .filter(signer.publicKey()::equals)
        .isPresent();
  }

  private static PodSpec template(StatefulSet statefulSet) {
    return statefulSet.getSpec().getTemplate().getSpec();
  }

  private static Veto refuse(NodePass pass, NodeReason reason, String message, Duration recheck) {
    SigningKeyReady.offer(pass, no(reason, message));
    return Veto.of(reason, message, recheck);
  }

  /** Releases the key, unless the present pod still signs with it, whatever the spec requires. */
  private void release(NodePass pass, Optional<String> key) {
    boolean signs = pass.view().livePod().flatMap(PodSigningKey::of).equals(key);
    if (key.isPresent() && !signs && scope.lock().isPresent()) {
      scope.lock().get().release(SigningScope.declaring(pass, key.get()));
    }
  }

  /** The node with the key that its next pod is started for, or would be. */
  private Optional<Signer> signer(NodePass pass, Optional<String> key, String secret) {
    Optional<String> held = keyOf(api, pass, secret);
    return key.or(() -> held).map(own -> SigningScope.proving(pass, own, held));
  }

  /** The public key in a Secret as it is now; empty if it holds none. */
  static Optional<String> keyOf(KubeApi api, NodePass pass, String secret) {
    return KeySecretChecks.publicKey(secret, api.get(Secret.class, pass.namespace(), secret));
  }
}
