package io.sei.operator.node.signing;

import java.util.Optional;

/**
 * What is to be said of a Secret with key material. The message names Secrets, files and fields,
 * and never holds anything of what is in them.
 */
public sealed interface KeyVerdict {

  /** What was found, for a human. */
  String message();

  /**
   * A pod can use it.
   *
   * @param publicKey that of a signing key, in base64, where a pod can check it; no secret
   */
  record Valid(String message, Optional<String> publicKey) implements KeyVerdict {}

  /**
   * A pod can use it, and peers know the node by it.
   *
   * @param nodeId the P2P identity that the key comes to, which is no secret
   */
  record Identity(String message, String nodeId) implements KeyVerdict {}

  /** It is not there yet, or about to go: that may pass by itself. */
  record NotReady(String message) implements KeyVerdict {}

  /** It is there, and of no use until somebody mends it. */
  record Invalid(String message) implements KeyVerdict {}
}
