package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.sei.operator.api.v1alpha1.Seed;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import java.util.Objects;
import java.util.Optional;

/**
 * The Secrets that the pod of a validator or a seed gets.
 *
 * @param signingKey name of the Secret with the consensus key, mounted in seid only
 * @param nodeKey name of the Secret with the P2P identity, mounted in seid only
 * @param operatorKeyring the operator account's keyring, given to the sidecar only
 */
public record KeyMaterial(
    Optional<String> signingKey,
    Optional<String> nodeKey,
    Optional<Validator.KeyringSecret> operatorKeyring) {

  /** The file of a Secret that holds the consensus key. */
  public static final String SIGNING_KEY_FILE = "priv_validator_key.json";

  /** The file of a Secret that holds the P2P identity. */
  public static final String NODE_KEY_FILE = "node_key.json";

  /**
   * Returns the key material to which a spec refers, or that a ceremony made for it; none in other
   * modes.
   */
  public static KeyMaterial of(SeiNodeSpec spec) {
    KeyMaterial declared = declared(spec);
    return new KeyMaterial(
        declared.signingKey.or(() -> spec.ceremony().map(GenesisCeremony::signingKeySecret)),
        declared.nodeKey.or(() -> spec.ceremony().map(GenesisCeremony::nodeKeySecret)),
        declared.operatorKeyring);
  }

  /** The Secret that a pod mounts for its consensus key. */
  public static Optional<String> signingKeyOf(PodSpec pod) {
    return pod.getVolumes().stream()
        .filter(it -> it.getName().equals(Volumes.SIGNING_KEY) && it.getSecret() != null)
        .map(it -> it.getSecret().getSecretName())
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** Returns the key material of the spec's fields, which alone is in its hash. */
  static KeyMaterial declared(SeiNodeSpec spec) {
    var validator = Optional.ofNullable(spec.validator());
    return new KeyMaterial(
        validator
            .map(Validator::signingKey)
            .map(Validator.SigningKey::secret)
            .map(Validator.KeySecret::secretName),
        validator
            .map(Validator::nodeKey)
            .or(() -> Optional.ofNullable(spec.seed()).map(Seed::nodeKey))
            .map(Validator.NodeKey::secret)
            .map(Validator.KeySecret::secretName),
        validator.map(Validator::operatorKeyring).map(Validator.OperatorKeyring::secret));
  }
}
