package io.sei.operator.node.signing;

import java.util.Optional;

/**
 * Result of checking a Secret with key material. The message names Secrets, files and fields, and
 * never holds anything of what is in them.
 *
 * @param publicKey public key of a consensus key, in base64; empty for any other Secret, and for
 *     one that a pod cannot use
 * @param nodeId P2P identity of a node key; empty for any other Secret, and for one that a pod
 *     cannot use
 */
record KeySecretCheck(
    State state, String message, Optional<String> publicKey, Optional<String> nodeId) {

  /** Whether a pod can use the Secret. */
  enum State {
    USABLE,
    /** The Secret does not exist or is being deleted, which may pass without help. */
    ABSENT,
    /** The Secret is useless until the user corrects it. */
    INVALID
  }

  static KeySecretCheck usable(String message) {
    return new KeySecretCheck(State.USABLE, message, Optional.empty(), Optional.empty());
  }

  static KeySecretCheck ofSigningKey(String message, String publicKey) {
    return new KeySecretCheck(State.USABLE, message, Optional.of(publicKey), Optional.empty());
  }

  static KeySecretCheck ofNodeKey(String message, String nodeId) {
    return new KeySecretCheck(State.USABLE, message, Optional.empty(), Optional.of(nodeId));
  }

  static KeySecretCheck absent(String message) {
    return new KeySecretCheck(State.ABSENT, message, Optional.empty(), Optional.empty());
  }

  static KeySecretCheck invalid(String message) {
    return new KeySecretCheck(State.INVALID, message, Optional.empty(), Optional.empty());
  }
}
