package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.PodParts;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Keeps seid from signing with another key than the one its pod was started for. The kubelet mounts
 * what a Secret holds now whenever it restarts a container, and nothing looks at it in between; so
 * the container looks itself, before anything else.
 *
 * @param secret name of the Secret with the key
 * @param publicKey what the Secret held when a plan validated it
 */
record SigningKeyCheck(String secret, String publicKey) {

  private static final int KEY_BYTES = 32;

  /**
   * Script that uses only builtins of bash. Backslashes are left out, as JSON may have them before
   * a slash. The name of a Secret needs no quotes: the schema allows lower-case letters, digits and
   * dashes. Nothing of it is logged but that name.
   */
  private static final String SCRIPT =
      """
      key=$(<"$HOME/config/%1$s")
      if [[ ${key//\\\\/} != *"%2$s\\""* ]]; then
        echo "the mounted signing key is not the one this pod was started for: Secret %3$s was changed; \
      put its %1$s back, or restart the node with the new key \
      by a new value of its annotation %4$s" >&2
        exit %5$d
      fi
      unset key
      """;

  /** Adds the check to a node's pod; nothing until a plan has recorded the key. */
  static void add(SeiNode node, PodParts pod) {
    SeiNodeStatus status = node.getStatus();
    Optional<String> secret = node.getSpec().signingKeySecret();
    if (secret.isEmpty() || status == null || status.signingPublicKey() == null) {
      return;
    }
    pod.seidVariable(PodSigningKey.local(status.signingPublicKey()));
    pod.beforeSidecar(new SigningKeyCheck(secret.get(), status.signingPublicKey()).script());
  }

  /** The script of bash. */
  private String script() {
    return SCRIPT.formatted(
        SigningKey.FILE,
        privateEnd(publicKey).orElse("\\\"$" + PodSigningKey.VARIABLE),
        secret,
        Annotations.RESTART_REQUESTED_AT,
        PodParts.REFUSED);
  }

  /** Returns whether the script finds the private key of a public one in the text of a key file. */
  static boolean finds(String publicKey, String file) {
    return privateEnd(publicKey)
        .filter(end -> file.replace("\\", "").contains(end + "\""))
        .isPresent();
  }

  /**
   * How the private key ends in base64, which is no secret: its last 32 bytes are the public key,
   * and three divides the place of all but the first of them. Seid ignores the public key that the
   * file itself names, so that proves nothing. Empty for what is no Ed25519 key.
   */
  private static Optional<String> privateEnd(String publicKey) {
    byte[] key;
    try {
      key = Base64.getDecoder().decode(publicKey);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    return key.length == KEY_BYTES
        ? Optional.of(Base64.getEncoder().encodeToString(Arrays.copyOfRange(key, 1, KEY_BYTES)))
        : Optional.empty();
  }
}
