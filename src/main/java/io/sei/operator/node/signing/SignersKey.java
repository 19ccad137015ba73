package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.base.Sha256;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * Compares the key of the signer that has dialled in with the key that its node declares. Seid
 * reports the signer's key at its RPC.
 */
final class SignersKey {

  /** Number of bytes of a validator's address in its chain. */
  private static final int ADDRESS_BYTES = 20;

  private final Function<NodeView, Optional<String>> keys;

  /**
   * @param keys the key that the running seid of a node signs with; empty if it is not known
   */
  SignersKey(Function<NodeView, Optional<String>> keys) {
    this.keys = keys;
  }

  /** Compares the signer's key with the declared one; empty as long as it is not known. */
  Optional<ConditionProposal> verdict(NodePass pass) {
    Optional<RemoteSigner> signer = pass.node().getSpec().remoteSigner();
    Optional<Pod> pod = pass.view().livePod().filter(PodFacts::isReady);
    if (signer.isEmpty() || pod.isEmpty() || !isFor(pod.get(), signer.get())) {
      return Optional.empty();
    }
    String declared = signer.get().publicKey();
    return keys.apply(pass.view()).map(key -> verdict(declared, key));
  }

  private static boolean isFor(Pod pod, RemoteSigner declared) {
    return PodSigningKey.isRemote(pod.getSpec())
        && PodSigningKey.of(pod).filter(declared.publicKey()::equals).isPresent();
  }

  static ConditionProposal verdict(String declared, String key) {
    return key.equals(declared) ? same() : another(declared, key);
  }

  private static ConditionProposal same() {
    return ConditionProposal.yes(
        NodeReason.SIGNING_KEY_VALIDATED,
        "the remote signer has the key that spec.validator.remoteSigner declares");
  }

  private static ConditionProposal another(String declared, String key) {
    return ConditionProposal.no(
        NodeReason.SIGNER_HAS_ANOTHER_KEY,
        ("the remote signer signs as validator %s, but spec.validator.remoteSigner.publicKey is the"
                + " key of %s: let the signer of that key dial in, or create the node again with the"
                + " key in use; until then another node may sign with it")
            .formatted(address(key), address(declared)));
  }

  private static String address(String key) {
    return Sha256.of(Base64.getDecoder().decode(key), ADDRESS_BYTES).toUpperCase(Locale.ROOT);
  }
}
