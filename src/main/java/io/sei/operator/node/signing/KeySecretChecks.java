package io.sei.operator.node.signing;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import io.fabric8.kubernetes.api.model.Secret;
import io.sei.operator.api.v1alpha1.Validator.KeyringSecret;
import io.sei.operator.api.v1alpha1.Validator.NodeKey;
import io.sei.operator.api.v1alpha1.Validator.PassphraseSecretRef;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.base.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks the content of a validator's Secrets as its containers will read it. Nothing is decrypted;
 * only the public key and the node ID derived from a key leave this class.
 */
final class KeySecretChecks {

  private static final List<JsonPointer> SIGNING_KEY_FIELDS =
      fields("/address", "/pub_key/type", "/pub_key/value", "/priv_key/type", "/priv_key/value");

  private static final String SIGNING_KEY = SigningKey.FILE;

  private static final String NO_ED25519 = "priv_key is not an Ed25519 key in Tendermint's format";

  private static final JsonPointer PUBLIC_KEY = JsonPointer.compile("/pub_key/value");

  private static final List<JsonPointer> NODE_KEY_FIELDS =
      fields("/priv_key/type", "/priv_key/value");

  /** Hash with which the keyring compares the passphrase, bcrypt (cosmos-sdk, crypto/keyring). */
  private static final String KEY_HASH = "keyhash";

  /** cosmos-sdk, client/input: MinPassLength. */
  private static final int SHORTEST_PASSPHRASE = 8;

  private static final ObjectReader JSON =
      Json.mapper().reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private KeySecretChecks() {}

  /**
   * Checks the Secret with a consensus key.
   *
   * @param secret the Secret; empty if it does not exist
   */
  static KeySecretCheck signingKey(String name, Optional<Secret> secret) {
    return absent(name, secret)
        .or(() -> fileDefect(secret.orElseThrow(), SIGNING_KEY, SIGNING_KEY_FIELDS))
        .orElseGet(() -> signer(secret.orElseThrow()));
  }

  /** Returns the public key of a usable consensus key; empty for an unusable Secret. */
  static Optional<String> publicKey(String name, Optional<Secret> secret) {
    return signingKey(name, secret).publicKey();
  }

  /** Compares pub_key with priv_key, since seid uses only priv_key. */
  private static KeySecretCheck signer(Secret secret) {
    JsonNode file = json(secret, SIGNING_KEY).orElseThrow();
    Optional<String> key = Ed25519Key.publicKey(file).map(Base64.getEncoder()::encodeToString);
    String has = "has a " + SIGNING_KEY + " whose ";
    if (key.isEmpty()) {
      return invalid(secret, has + NO_ED25519);
    }
    if (!key.get().equals(file.at(PUBLIC_KEY).asText())) {
      return invalid(
          secret, has + "pub_key is not that of its priv_key, which is the one seid signs with");
    }
    String text = new String(content(secret, SIGNING_KEY), StandardCharsets.UTF_8);
    if (!SigningKeyCheck.finds(key.get(), text)) {
      return invalid(
          secret,
          has
              + "priv_key is in a form in which the pod cannot find it; use the file as seid writes it");
    }
    String message = "Secret " + secret.getMetadata().getName() + " holds a " + SIGNING_KEY;
    return KeySecretCheck.ofSigningKey(message, key.get());
  }

  /**
   * Checks the Secret with a P2P identity.
   *
   * @param secret the Secret; empty if it does not exist
   */
  static KeySecretCheck nodeKey(String name, Optional<Secret> secret) {
    String file = NodeKey.FILE;
    return absent(name, secret)
        .or(() -> fileDefect(secret.orElseThrow(), file, NODE_KEY_FIELDS))
        .orElseGet(() -> identity(name, json(secret.orElseThrow(), file).orElseThrow()));
  }

  private static KeySecretCheck identity(String name, JsonNode nodeKey) {
    String holds = "Secret " + name + " holds a " + NodeKey.FILE;
    String named = nodeKey.path("id").asText();
    return Ed25519Key.nodeId(nodeKey)
        .map(
            id ->
                KeySecretCheck.ofNodeKey(
                    named.isEmpty() || named.equals(id)
                        ? holds
                        : holds
                            + " with an id that is not its key's; peers know the node by its key",
                    id))
        .orElseGet(
            () ->
                KeySecretCheck.invalid(
                    "Secret %s has a %s whose %s".formatted(name, NodeKey.FILE, NO_ED25519)));
  }

  /** Checks the two Secrets of an operator account's keyring. */
  static KeySecretCheck operatorKeyring(
      KeyringSecret keyring, Optional<Secret> files, Optional<Secret> passphrase) {
    PassphraseSecretRef reference = keyring.passphraseSecretRef();
    return absent(keyring.secretName(), files)
        .or(() -> absent(reference.secretName(), passphrase))
        .or(() -> keyringDefect(keyring, files.orElseThrow()))
        .or(() -> passphraseDefect(reference, passphrase.orElseThrow()))
        .orElseGet(
            () ->
                KeySecretCheck.usable(
                    "Secrets %s and %s hold a keyring and its passphrase"
                        .formatted(keyring.secretName(), reference.secretName())));
  }

  private static Optional<KeySecretCheck> absent(String name, Optional<Secret> secret) {
    if (secret.isEmpty()) {
      return Optional.of(KeySecretCheck.absent("Secret " + name + " does not exist"));
    }
    return secret.get().isMarkedForDeletion()
        ? Optional.of(KeySecretCheck.absent("Secret " + name + " is being deleted"))
        : Optional.empty();
  }

  private static Optional<KeySecretCheck> fileDefect(
      Secret secret, String file, List<JsonPointer> fields) {
    if (content(secret, file).length == 0) {
      return Optional.of(invalid(secret, "has no " + file + ", or an empty one"));
    }
    Optional<JsonNode> json = json(secret, file);
    if (json.isEmpty()) {
      return Optional.of(invalid(secret, "has a " + file + " that is not JSON"));
    }
    List<String> missing =
        fields.stream()
            .filter(field -> json.get().at(field).asText().isBlank())
            .map(field -> field.toString().substring(1).replace('/', '.'))
            .toList();
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(invalid(secret, "has a " + file + " without " + String.join(", ", missing)));
  }

  private static Optional<KeySecretCheck> keyringDefect(KeyringSecret keyring, Secret secret) {
    String keyName = keyring.keyName() == null ? KeyringSecret.DEFAULT_KEY_NAME : keyring.keyName();
    if (content(secret, keyName + ".info").length == 0) {
      return Optional.of(
          invalid(
              secret,
              "has no " + keyName + ".info, or an empty one: keyName must name a key in it"));
    }
    for (String file : List.of(KEY_HASH, keyName + ".info")) {
      byte[] content = content(secret, file);
      if (content.length == 0) {
        return Optional.of(invalid(secret, "has no %s, or an empty one".formatted(file)));
      }
      if (isLineEnd(content[content.length - 1])) {
        return Optional.of(
            invalid(
                secret,
                "has a %s that ends with a line break, so the keyring cannot be opened: copy the file"
                        .formatted(file)
                    + " as it is"));
      }
    }
    boolean hasAddress = data(secret).keySet().stream().anyMatch(file -> file.endsWith(".address"));
    return hasAddress
        ? Optional.empty()
        : Optional.of(invalid(secret, "has no file that ends in .address"));
  }

  private static Optional<KeySecretCheck> passphraseDefect(
      PassphraseSecretRef reference, Secret secret) {
    String passphrase = new String(content(secret, reference.key()), StandardCharsets.UTF_8);
    if (passphrase.isBlank()) {
      return Optional.of(invalid(secret, "has no " + reference.key() + ", or a blank one"));
    }
    if (passphrase.indexOf('\r') >= 0) {
      return Optional.of(
          invalid(secret, "has a %s with a carriage return".formatted(reference.key())));
    }
    if (passphrase.strip().length() < SHORTEST_PASSPHRASE) {
      return Optional.of(
          invalid(
              secret,
              "has a %s of fewer than %d characters, which no keyring has"
                  .formatted(reference.key(), SHORTEST_PASSPHRASE)));
    }
    return Optional.empty();
  }

  private static boolean isLineEnd(byte last) {
    return last == '\n' || last == '\r';
  }

  private static KeySecretCheck invalid(Secret secret, String defect) {
    return KeySecretCheck.invalid("Secret " + secret.getMetadata().getName() + " " + defect);
  }

  private static Optional<JsonNode> json(Secret secret, String file) {
    try {
      // As text: seid refuses a byte order mark and UTF-16, which the parser of bytes understands.
      return Optional.of(JSON.readTree(new String(content(secret, file), StandardCharsets.UTF_8)));
    } catch (IOException e) {
      // The message of the parser is dropped: it quotes the file, which is a key.
      return Optional.empty();
    }
  }

  /** Returns the decoded value of a key in the Secret's data; empty without one. */
  private static byte[] content(Secret secret, String file) {
    return Base64.getDecoder().decode(data(secret).getOrDefault(file, ""));
  }

  private static Map<String, String> data(Secret secret) {
    return secret.getData() == null ? Map.of() : secret.getData();
  }

  private static List<JsonPointer> fields(String... pointers) {
    return List.of(pointers).stream().map(JsonPointer::compile).toList();
  }
}
