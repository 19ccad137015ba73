package io.sei.operator.node.signing;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.base.Sha256;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * PURE: public key of a Tendermint key file. Seid derives it from the private key and overwrites
 * the file's other fields ({@code loadFilePV} of sei-tendermint/privval/file.go, {@code
 * LoadNodeKey} of its types/node_key.go).
 */
final class Ed25519Key {

  /** The only kind of key that seid signs and connects with. */
  private static final String TYPE = "tendermint/PrivKeyEd25519";

  /** 32 bytes of seed, then the public key. */
  private static final int BYTES = 64;

  private static final int PUBLIC_AT = 32;

  private static final int ID_BYTES = 20;

  private Ed25519Key() {}

  /** The 32 bytes of it; empty if the file does not hold an Ed25519 key in Tendermint's format. */
  static Optional<byte[]> publicKey(JsonNode file) {
    JsonNode key = file.path("priv_key");
    return TYPE.equals(key.path("type").asText())
        ? decoded(key.path("value"))
            .filter(value -> value.length == BYTES)
            .map(value -> Arrays.copyOfRange(value, PUBLIC_AT, BYTES))
        : Optional.empty();
  }

  /**
   * P2P identity of a {@code node_key.json}: lower-case hex of the first 20 bytes of the SHA-256 of
   * its public key. Seid ignores what the file's {@code id} says.
   */
  static Optional<String> nodeId(JsonNode nodeKey) {
    return publicKey(nodeKey).map(key -> Sha256.of(key, ID_BYTES));
  }

  private static Optional<byte[]> decoded(JsonNode value) {
    try {
      return Optional.ofNullable(value.binaryValue());
    } catch (IOException e) {
      // What the parser says quotes what it read.
      return Optional.empty();
    }
  }
}
