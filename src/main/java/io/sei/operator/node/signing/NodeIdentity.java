package io.sei.operator.node.signing;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.base.Sha256;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * PURE: the P2P identity that a {@code node_key.json} comes to. Seid computes it from the key and
 * ignores what the file's {@code id} says ({@code LoadNodeKey} of sei-tendermint): lower-case hex
 * of the first 20 bytes of the SHA-256 of the public key.
 */
final class NodeIdentity {

  /** The only kind of key that seid's connections accept. */
  private static final String ED25519 = "tendermint/PrivKeyEd25519";

  /** 32 bytes of seed, then the public key. */
  private static final int KEY_BYTES = 64;

  private static final int PUBLIC_KEY_AT = 32;
  private static final int ID_BYTES = 20;

  private NodeIdentity() {}

  /** The identity; empty if the file does not hold an Ed25519 key in Tendermint's format. */
  static Optional<String> of(JsonNode nodeKey) {
    JsonNode key = nodeKey.path("priv_key");
    return ED25519.equals(key.path("type").asText())
        ? decoded(key.path("value")).filter(it -> it.length == KEY_BYTES).map(NodeIdentity::id)
        : Optional.empty();
  }

  /** Whether the file names another identity than its key comes to. */
  static boolean isContradicted(JsonNode nodeKey, String id) {
    String named = nodeKey.path("id").asText();
    return !named.isEmpty() && !named.equals(id);
  }

  private static Optional<byte[]> decoded(JsonNode value) {
    try {
      return Optional.ofNullable(value.binaryValue());
    } catch (IOException e) {
      // What the parser says quotes what it read.
      return Optional.empty();
    }
  }

  private static String id(byte[] key) {
    return Sha256.of(Arrays.copyOfRange(key, PUBLIC_KEY_AT, KEY_BYTES), ID_BYTES);
  }
}
