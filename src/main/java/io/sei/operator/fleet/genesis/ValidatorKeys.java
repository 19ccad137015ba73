package io.sei.operator.fleet.genesis;

import io.sei.operator.base.Sha256;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;

/**
 * Keys of a validator of a new chain: for signing, for its connections and of its account. Only the
 * Secrets that it is written to may have the files and the words.
 *
 * @param signingKeyFile a {@code priv_validator_key.json}
 * @param publicKey the consensus key's public half, in base64
 * @param nodeKeyFile a {@code node_key.json}
 * @param nodeId by which peers know the node
 * @param words of the validator's account
 */
record ValidatorKeys(
    String signingKeyFile, String publicKey, String nodeKeyFile, String nodeId, String words) {

  private static final int KEY_BYTES = 32;

  private static final String SIGNING_KEY_FILE =
      """
      {
        "address": "%s",
        "pub_key": {
          "type": "tendermint/PubKeyEd25519",
          "value": "%s"
        },
        "priv_key": {
          "type": "tendermint/PrivKeyEd25519",
          "value": "%s"
        }
      }
      """;

  private static final String NODE_KEY_FILE =
      """
      {"id":"%s","priv_key":{"type":"tendermint/PrivKeyEd25519","value":"%s"}}
      """;

  /** An Ed25519 key: 32 bytes of seed, then the public key. */
  private record Key(byte[] whole) {

    static Key make(SecureRandom random) {
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
        generator.initialize(255, random);
        KeyPair pair = generator.generateKeyPair();
        // Both encodings end with the bytes of the key.
        byte[] whole = Arrays.copyOf(end(pair.getPrivate().getEncoded()), 2 * KEY_BYTES);
        System.arraycopy(end(pair.getPublic().getEncoded()), 0, whole, KEY_BYTES, KEY_BYTES);
        return new Key(whole);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every JDK has Ed25519", e);
      }
    }

    private static byte[] end(byte[] encoded) {
      return Arrays.copyOfRange(encoded, encoded.length - KEY_BYTES, encoded.length);
    }

    byte[] publicHalf() {
      return Arrays.copyOfRange(whole, KEY_BYTES, 2 * KEY_BYTES);
    }

    String id() {
      return address(publicHalf());
    }

    String base64() {
      return Base64.getEncoder().encodeToString(whole);
    }
  }

  /** The address of a public key: its digest, which Tendermint abbreviates to 20 bytes. */
  static String address(byte[] publicKey) {
    return Sha256.of(publicKey, 20);
  }

  /** Generates new keys. */
  static ValidatorKeys make(SecureRandom random) {
    Key signing = Key.make(random);
    Key node = Key.make(random);
    byte[] entropy = new byte[Mnemonic.ENTROPY_BYTES];
    random.nextBytes(entropy);
    String publicKey = Base64.getEncoder().encodeToString(signing.publicHalf());
    return new ValidatorKeys(
        SIGNING_KEY_FILE.formatted(
            signing.id().toUpperCase(Locale.ROOT), publicKey, signing.base64()),
        publicKey,
        NODE_KEY_FILE.formatted(node.id(), node.base64()),
        node.id(),
        Mnemonic.of(entropy));
  }

  /** Says nothing of what is secret. */
  @Override
  public String toString() {
    return "keys of node " + nodeId;
  }
}
