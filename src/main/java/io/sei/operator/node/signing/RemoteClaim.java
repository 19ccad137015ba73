package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.base.Recheck;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Veto;
import java.util.Optional;

/**
 * Has the record of a key say that a node signs with it by a signer that dials in. One that keeps
 * the key in its own hands serves one node; who else asks it, the record alone can tell.
 */
record RemoteClaim(SigningScope scope) {

  /** Whether the node may have a pod for its signer now, or, unless arming, later. */
  Veto check(NodePass pass, RemoteSigner signer, boolean arming) {
    if (scope.register().isEmpty()) {
      return refused(
          pass,
          NodeReason.SIGNING_KEY_UNGUARDED,
          "a node with a remoteSigner needs the right to the record of its key, which is not used"
              + " where SEI_SIGNING_SCOPE is Namespaces");
    }
    Signer self = SigningScope.declaring(pass, signer.publicKey());
    if (isMade(pass, signer)) {
      if (!arming) {
        scope.noteAgain(pass, self);
      }
      return Veto.none();
    }
    return KeyClaim.announced(
        pass,
        scope.register().get().claim(self, arming),
        () -> {
          KeyClaim.offer(
              pass,
              ConditionProposal.yes(NodeReason.SIGNING_KEY_VALIDATED, declared(signer).message()));
          return Veto.none();
        });
  }

  private static Veto refused(NodePass pass, NodeReason reason, String message) {
    KeyClaim.offer(pass, ConditionProposal.no(reason, message));
    return Veto.of(reason, message, Recheck.CONFLICT);
  }

  /** The key that the spec declares; whether the signer has it only seid learns. */
  static KeyVerdict declared(RemoteSigner signer) {
    return new KeyVerdict.Valid(
        "spec.validator.remoteSigner declares the key", Optional.of(signer.publicKey()));
  }

  /** Whether the node's StatefulSet makes pods for this signer. */
  static boolean isMade(NodePass pass, RemoteSigner signer) {
    return pass.view()
        .statefulSet()
        .filter(it -> !it.isMarkedForDeletion())
        .filter(it -> !Integer.valueOf(0).equals(it.getSpec().getReplicas()))
        .map(RemoteClaim::pod)
        .filter(PodSigningKey::isRemote)
        .flatMap(PodSigningKey::of)
        .filter(signer.publicKey()::equals)
        .isPresent();
  }

  private static PodSpec pod(StatefulSet statefulSet) {
    return statefulSet.getSpec().getTemplate().getSpec();
  }
}
