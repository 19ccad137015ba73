package io.sei.operator.node.signing;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.base.Sha256;
import java.util.Optional;

/**
 * PURE: the P2P identity that a {@code node_key.json} comes to. Seid computes it from the key and
 * ignores what the file's {@code id} says ({@code LoadNodeKey} of sei-tendermint): lower-case hex
 * of the first 20 bytes of the SHA-256 of the public key.
 */
final class NodeIdentity {

  private static final int ID_BYTES = 20;

  private NodeIdentity() {}

  /** The identity; empty if the file does not hold an Ed25519 key in Tendermint's format. */
  static Optional<String> of(JsonNode nodeKey) {
    return Ed25519Key.publicKey(nodeKey).map(key -> Sha256.of(key, ID_BYTES));
  }

  /** Whether the file names another identity than its key comes to. */
  static boolean isContradicted(JsonNode nodeKey, String id) {
    String named = nodeKey.path("id").asText();
    return !named.isEmpty() && !named.equals(id);
  }
}
