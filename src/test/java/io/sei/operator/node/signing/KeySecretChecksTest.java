package io.sei.operator.node.signing;

import static io.sei.operator.testkit.ThrowAwayKeys.MATERIAL;
import static io.sei.operator.testkit.ThrowAwayKeys.NODE_KEY;
import static io.sei.operator.testkit.ThrowAwayKeys.PUBLIC_KEY;
import static io.sei.operator.testkit.ThrowAwayKeys.SIGNING_KEY;
import static io.sei.operator.testkit.ThrowAwayKeys.publicKey;
import static io.sei.operator.testkit.ThrowAwayKeys.secret;
import static io.sei.operator.testkit.ThrowAwayKeys.signingKeyFile;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.sei.operator.api.v1alpha1.Validator.KeyringSecret;
import io.sei.operator.api.v1alpha1.Validator.PassphraseSecretRef;
import io.sei.operator.node.signing.KeySecretCheck.State;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.nio.charset.Charset;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeySecretChecksTest {

  private static final String SIGNING = "priv_validator_key.json";
  private static final String IDENTITY = "node_key.json";
  private static final Secret NONE = null;

  static Stream<Arguments> signingKeys() {
    return Stream.of(
        row(NONE, notReady("Secret s does not exist")),
        row(leaving(file(SIGNING, SIGNING_KEY)), notReady("Secret s is being deleted")),
        row(file(SIGNING, SIGNING_KEY), validKey(PUBLIC_KEY)),
        // Some writers of JSON put a backslash before each slash.
        row(file(SIGNING, SIGNING_KEY.replace("/", "\\/")), validKey(PUBLIC_KEY)),
        // The script in the pod would not find it.
        row(
            file(SIGNING, SIGNING_KEY.replace("=", "\\u003d")),
            noSigningKey(
                "priv_key is in a form in which the pod cannot find it; use the file as seid writes it")),
        row(file(SIGNING, signingKeyFile(publicKey("else"), "nobody")), contradicted()),
        row(file(SIGNING, signingKeyFile("$(reboot)", "nobody")), contradicted()),
        row(file(SIGNING, SIGNING_KEY.replace("PrivKeyEd25519", "PrivKeySecp256k1")), noEd25519()),
        row(file(SIGNING, SIGNING_KEY.replace(MATERIAL, "")), noEd25519()),
        row(file(SIGNING, SIGNING_KEY.replace(MATERIAL, MATERIAL + "#")), noEd25519()),
        row(empty(), noFile(SIGNING)),
        row(file(SIGNING, ""), noFile(SIGNING)),
        row(file("priv_validator_key", SIGNING_KEY), noFile(SIGNING)),
        row(file(SIGNING, MATERIAL), noJson(SIGNING)),
        row(file(SIGNING, SIGNING_KEY + MATERIAL), noJson(SIGNING)),
        row(file(SIGNING, "{\"address\":\"" + MATERIAL), noJson(SIGNING)),
        row(
            file(SIGNING, "{}"),
            without(
                SIGNING, "address, pub_key.type, pub_key.value, priv_key.type, priv_key.value")),
        row(
            file(SIGNING, " "),
            without(
                SIGNING, "address, pub_key.type, pub_key.value, priv_key.type, priv_key.value")),
        row(
            file(SIGNING, "[\"" + MATERIAL + "\"]"),
            without(
                SIGNING, "address, pub_key.type, pub_key.value, priv_key.type, priv_key.value")),
        row(file(SIGNING, SIGNING_KEY.replace("address", "adress")), without(SIGNING, "address")),
        row(
            file(SIGNING, SIGNING_KEY.replace("tendermint/PubKeyEd25519", " ")),
            without(SIGNING, "pub_key.type")),
        row(
            file(SIGNING, SIGNING_KEY.replace("\"priv_key\"", "\"private\"")),
            without(SIGNING, "priv_key.type, priv_key.value")));
  }

  static Stream<Arguments> nodeKeys() {
    return Stream.of(
        row(NONE, notReady("Secret s does not exist")),
        row(leaving(file(IDENTITY, NODE_KEY)), notReady("Secret s is being deleted")),
        row(file(IDENTITY, NODE_KEY), identity("Secret s holds a node_key.json")),
        // As seid writes it.
        row(
            file(IDENTITY, withId(ThrowAwayKeys.nodeId(""))),
            identity("Secret s holds a node_key.json")),
        row(
            file(IDENTITY, withId("0123456789012345678901234567890123456789")),
            identity(
                "Secret s holds a node_key.json with an id that is not its key's; peers know the"
                    + " node by its key")),
        row(file(IDENTITY, NODE_KEY.replace("Ed25519", "Secp256k1")), noNodeKey()),
        row(file(IDENTITY, NODE_KEY.replace(MATERIAL, "")), noNodeKey()),
        row(file(IDENTITY, NODE_KEY.replace(MATERIAL, MATERIAL + "#")), noNodeKey()),
        row(file(SIGNING, SIGNING_KEY), noFile(IDENTITY)),
        row(file(IDENTITY, MATERIAL), noJson(IDENTITY)),
        row(
            file(IDENTITY, NODE_KEY.replace("\"value\"", "\"key\"")),
            without(IDENTITY, "priv_key.value")));
  }

  /** The key is the first of RFC 8032; the id is the output of sha256sum for its public half. */
  @Test
  void identityIsTheBeginningOfTheDigestOfThePublicKey() {
    String id = "21fe31dfa154a261626bf854046fd2271b7bed4b";
    String key =
        "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DX"
            + "WpgBgrEKt9VL/tPJZAc6DuFy89qmIyWvAhpo9wdRGg==";
    String file =
        "{\"id\":\"%s\",\"priv_key\":{\"type\":\"tendermint/PrivKeyEd25519\",\"value\":\"%s\"}}"
            .formatted(id, key);

    assertThat(KeySecretChecks.nodeKey("s", Optional.of(file(IDENTITY, file))))
        .isEqualTo(KeySecretCheck.ofNodeKey("Secret s holds a node_key.json", id));
  }

  /** The second key of RFC 8032, as seid writes it. */
  @Test
  void signingKeyIsKnownByItsPublicHalf() {
    String file =
        """
        {
          "address": "0000000000000000000000000000000000000000",
          "pub_key": {
            "type": "tendermint/PubKeyEd25519",
            "value": "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="
          },
          "priv_key": {
            "type": "tendermint/PrivKeyEd25519",
            "value": "TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs9QBfD6EOJWpK3CqdNG368nJgszy7ElozAzVXxKvRmDA=="
          }
        }
        """;

    assertThat(KeySecretChecks.signingKey("s", Optional.of(file(SIGNING, file))))
        .isEqualTo(validKey("PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="));
  }

  static Stream<Arguments> keyrings() {
    Secret keyring =
        secret("s", Map.of("keyhash", MATERIAL, "admin.info", MATERIAL, "ab.address", "admin"));
    Secret passphrase = secret("p", Map.of("word", MATERIAL));
    return Stream.of(
        Arguments.of(
            keyring, passphrase, valid("Secrets s and p hold a keyring and its passphrase")),
        Arguments.of(NONE, passphrase, notReady("Secret s does not exist")),
        Arguments.of(leaving(keyring), passphrase, notReady("Secret s is being deleted")),
        Arguments.of(keyring, NONE, notReady("Secret p does not exist")),
        Arguments.of(keyring, leaving(passphrase), notReady("Secret p is being deleted")),
        Arguments.of(empty(), passphrase, noKey()),
        Arguments.of(secret("s", Map.of("admin.info", "", "ab.address", "x")), passphrase, noKey()),
        Arguments.of(
            secret("s", Map.of("other.info", MATERIAL, "ab.address", "x")), passphrase, noKey()),
        Arguments.of(
            secret("s", Map.of("keyhash", MATERIAL, "admin.info", MATERIAL)),
            passphrase,
            invalid("Secret s has no file that ends in .address")),
        Arguments.of(keyring, secret("p", Map.of("other", MATERIAL)), noPassphrase()),
        Arguments.of(keyring, secret("p", Map.of("word", "")), noPassphrase()),
        Arguments.of(keyring, secret("p", Map.of("word", "\n")), noPassphrase()),
        Arguments.of(
            secret("s", Map.of("admin.info", MATERIAL, "ab.address", "x")),
            passphrase,
            invalid("Secret s has no keyhash, or an empty one")),
        Arguments.of(
            secret(
                "s", Map.of("keyhash", MATERIAL + "\n", "admin.info", MATERIAL, "ab.address", "x")),
            passphrase,
            lineBreak("keyhash")),
        Arguments.of(
            secret(
                "s",
                Map.of("keyhash", MATERIAL, "admin.info", MATERIAL + "\r\n", "ab.address", "x")),
            passphrase,
            lineBreak("admin.info")),
        Arguments.of(
            keyring,
            secret("p", Map.of("word", MATERIAL + "\r\n")),
            invalid("Secret p has a word with a carriage return")),
        Arguments.of(
            keyring,
            secret("p", Map.of("word", "1234567")),
            invalid("Secret p has a word of fewer than 8 characters, which no keyring has")));
  }

  private static KeySecretCheck lineBreak(String file) {
    return invalid(
        "Secret s has a %s that ends with a line break, so the keyring cannot be opened: copy the file"
                .formatted(file)
            + " as it is");
  }

  /** PowerShell writes a byte order mark, or UTF-16; seid refuses both. */
  @ParameterizedTest
  @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE"})
  void aFileWithAByteOrderMarkIsNoKey(String charset) {
    byte[] content = ("\uFEFF" + SIGNING_KEY).getBytes(Charset.forName(charset));
    byte[] nodeKey = ("\uFEFF" + NODE_KEY).getBytes(Charset.forName(charset));

    assertThat(KeySecretChecks.signingKey("s", Optional.of(bytes(SIGNING, content))))
        .extracting(KeySecretCheck::state)
        .isEqualTo(State.INVALID);
    assertThat(KeySecretChecks.nodeKey("s", Optional.of(bytes(IDENTITY, nodeKey))))
        .extracting(KeySecretCheck::state)
        .isEqualTo(State.INVALID);
  }

  private static Secret bytes(String file, byte[] content) {
    Secret secret = secret("s", Map.of());
    secret.setData(Map.of(file, Base64.getEncoder().encodeToString(content)));
    return secret;
  }

  @ParameterizedTest
  @MethodSource("signingKeys")
  void signingKey(Secret secret, KeySecretCheck verdict) {
    assertThat(KeySecretChecks.signingKey("s", Optional.ofNullable(secret))).isEqualTo(verdict);
    assertThat(verdict.message()).doesNotContain(MATERIAL);
  }

  @ParameterizedTest
  @MethodSource("nodeKeys")
  void nodeKey(Secret secret, KeySecretCheck verdict) {
    assertThat(KeySecretChecks.nodeKey("s", Optional.ofNullable(secret))).isEqualTo(verdict);
    assertThat(verdict.message()).doesNotContain(MATERIAL);
  }

  @ParameterizedTest
  @MethodSource("keyrings")
  void operatorKeyring(Secret keyring, Secret passphrase, KeySecretCheck verdict) {
    var reference = new KeyringSecret("s", "admin", new PassphraseSecretRef("p", "word"));

    assertThat(
            KeySecretChecks.operatorKeyring(
                reference, Optional.ofNullable(keyring), Optional.ofNullable(passphrase)))
        .isEqualTo(verdict);
    assertThat(verdict.message()).doesNotContain(MATERIAL);
  }

  @Test
  void keyringWithoutAKeyNameHoldsTheDefaultOne() {
    var reference = new KeyringSecret("s", null, new PassphraseSecretRef("p", "word"));
    Secret keyring =
        secret("s", Map.of("keyhash", MATERIAL, "node_admin.info", MATERIAL, "ab.address", "x"));

    assertThat(
            KeySecretChecks.operatorKeyring(
                reference,
                Optional.of(keyring),
                Optional.of(secret("p", Map.of("word", MATERIAL)))))
        .extracting(KeySecretCheck::state)
        .isEqualTo(State.USABLE);
  }

  private static Arguments row(Secret secret, KeySecretCheck verdict) {
    return Arguments.of(secret, verdict);
  }

  private static Secret file(String name, String content) {
    return secret("s", Map.of(name, content));
  }

  private static Secret empty() {
    return new SecretBuilder().withNewMetadata().withName("s").endMetadata().build();
  }

  private static Secret leaving(Secret secret) {
    return new SecretBuilder(secret)
        .editMetadata()
        .withDeletionTimestamp("2026-06-01T10:00:00Z")
        .endMetadata()
        .build();
  }

  private static KeySecretCheck valid(String message) {
    return KeySecretCheck.usable(message);
  }

  private static KeySecretCheck validKey(String publicKey) {
    return KeySecretCheck.ofSigningKey("Secret s holds a priv_validator_key.json", publicKey);
  }

  private static KeySecretCheck identity(String message) {
    return KeySecretCheck.ofNodeKey(message, ThrowAwayKeys.nodeId(""));
  }

  private static String withId(String id) {
    return NODE_KEY.replace("{\"priv_key\"", "{\"id\":\"" + id + "\",\"priv_key\"");
  }

  private static KeySecretCheck noSigningKey(String why) {
    return invalid("Secret s has a priv_validator_key.json whose " + why);
  }

  private static KeySecretCheck contradicted() {
    return noSigningKey("pub_key is not that of its priv_key, which is the one seid signs with");
  }

  private static KeySecretCheck noEd25519() {
    return noSigningKey("priv_key is not an Ed25519 key in Tendermint's format");
  }

  private static KeySecretCheck noNodeKey() {
    return invalid(
        "Secret s has a node_key.json whose priv_key is not an Ed25519 key in Tendermint's format");
  }

  private static KeySecretCheck notReady(String message) {
    return KeySecretCheck.absent(message);
  }

  private static KeySecretCheck invalid(String message) {
    return KeySecretCheck.invalid(message);
  }

  private static KeySecretCheck noFile(String file) {
    return invalid("Secret s has no " + file + ", or an empty one");
  }

  private static KeySecretCheck noJson(String file) {
    return invalid("Secret s has a " + file + " that is not JSON");
  }

  private static KeySecretCheck without(String file, String fields) {
    return invalid("Secret s has a " + file + " without " + fields);
  }

  private static KeySecretCheck noKey() {
    return invalid("Secret s has no admin.info, or an empty one: keyName must name a key in it");
  }

  private static KeySecretCheck noPassphrase() {
    return invalid("Secret p has no word, or a blank one");
  }
}
