package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** Secrets as a validator needs them, with keys that are used nowhere else. */
public final class ThrowAwayKeys {

  /** Placeholder of key material; it must show up nowhere but in the Secrets. */
  public static final String MATERIAL = "bm90LWEta2V5LWJ1dC1zZWNyZXQtYWxsLXRoZS1zYW1l";

  /** Public half of the signing key; it may show up anywhere. */
  public static final String PUBLIC_KEY = publicKey("nobody");

  public static final String SIGNING_KEY = signingKeyFile("nobody");

  public static final String NODE_KEY = nodeKeyFile("");

  private ThrowAwayKeys() {}

  /** Returns a public key without a private one, another one for each name. */
  public static String publicKey(String name) {
    byte[] key = Base64.getDecoder().decode(MATERIAL + publicPart(name));
    return Base64.getEncoder().encodeToString(Arrays.copyOfRange(key, 32, 64));
  }

  /** A priv_validator_key.json with the key of that name. */
  public static String signingKeyFile(String name) {
    return signingKeyFile(publicKey(name), name);
  }

  /** Returns a key file with another public key. */
  public static String signingKeyFile(String publicKey, String name) {
    return """
    {"address":"0000000000000000000000000000000000000000",
     "pub_key":{"type":"tendermint/PubKeyEd25519","value":"%s"},
     "priv_key":{"type":"tendermint/PrivKeyEd25519","value":"%s%s"}}
    """
        .formatted(publicKey, MATERIAL, publicPart(name));
  }

  /** A Secret with a consensus key. */
  public static Secret signingKey(String name) {
    return secret(name, Map.of("priv_validator_key.json", SIGNING_KEY));
  }

  /** A Secret with a P2P identity. */
  public static Secret nodeKey(String name) {
    return secret(name, Map.of("node_key.json", nodeKeyFile(name)));
  }

  /** Returns the P2P identity of the Secret {@link #nodeKey} of that name. */
  public static String nodeId(String name) {
    byte[] key = Base64.getDecoder().decode(MATERIAL + publicPart(name));
    return Digests.sha256(Arrays.copyOfRange(key, 32, 64), 20);
  }

  /** Returns a file with 64 bytes, as an Ed25519 key has, another one for each name. */
  private static String nodeKeyFile(String name) {
    return """
    {"priv_key":{"type":"tendermint/PrivKeyEd25519","value":"%s%s"}}
    """
        .formatted(MATERIAL, publicPart(name));
  }

  /** The material has 33 bytes. */
  private static String publicPart(String name) {
    String digest = Digests.sha256(name.getBytes(StandardCharsets.UTF_8), 31);
    return Base64.getEncoder().encodeToString(HexFormat.of().parseHex(digest));
  }

  /** A Secret with a keyring that holds the key {@code node_admin}. */
  public static Secret keyring(String name) {
    return secret(
        name,
        Map.of(
            "keyhash", MATERIAL, "node_admin.info", MATERIAL, "0123456789.address", "node_admin"));
  }

  /** A Secret with the keyring's passphrase under {@code passphrase}. */
  public static Secret passphrase(String name) {
    return secret(name, Map.of("passphrase", MATERIAL));
  }

  /** A Secret as the API server gives it out, with its content encoded. */
  public static Secret secret(String name, Map<String, String> files) {
    var data = new TreeMap<String, String>();
    files.forEach((file, text) -> data.put(file, encoded(text)));
    return new SecretBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withData(data)
        .build();
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
