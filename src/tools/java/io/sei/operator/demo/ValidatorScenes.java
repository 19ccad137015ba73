package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** What happens to a validator with its keys in Secrets, and to a second one with the same keys. */
final class ValidatorScenes {

  private static final String FIRST = "atlantic-validator";
  private static final String SECOND = "atlantic-standby";
  private static final Path SAMPLE = Path.of("manifests", "samples", "validator-with-keys.yaml");
  private static final Path STANDBY = Stage.DIRECTORY.resolve("standby.yaml");
  private static final Path KEYS = Stage.DIRECTORY.resolve("keys");
  private static final String REPOSITORY = "ghcr.io/sei-protocol/sei:";
  private static final String OLD_IMAGE = REPOSITORY + "v6.4.4";
  private static final String NEW_IMAGE = REPOSITORY + "v6.5.2";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private ValidatorScenes() {}

  static List<Scene> all() {
    return List.of(
        new Scene(
            "no keys",
            "A validator is applied before its Secrets: it waits, and says for which.",
            stage -> stage.kubectl("apply", "-f", SAMPLE.toString()),
            says(FIRST, "SigningKeyMissing"),
            LIMIT),
        new Scene(
            "keys",
            "The Secrets are made. The operator looks again within 5 seconds, and the validator"
                + " starts.",
            ValidatorScenes::createSecrets,
            runs(FIRST, OLD_IMAGE),
            LIMIT),
        new Scene(
            "second signer",
            "A standby with the same keys: two that sign with one key would be punished, so it"
                + " does not start.",
            ValidatorScenes::applyStandby,
            says(SECOND, "SigningKeyInUse").and((stage, view) -> hasNoPod(stage, SECOND)),
            LIMIT),
        new Scene(
            "upgrade",
            "The validator that has the keys is not held up by the one that waits.",
            stage ->
                stage.kubectl(
                    "patch",
                    "seinode",
                    FIRST,
                    "--type=merge",
                    "-p",
                    "'{\"spec\":{\"image\":\"" + NEW_IMAGE + "\"}}'"),
            runs(FIRST, NEW_IMAGE),
            LIMIT),
        new Scene(
            "deleted",
            "The validator is deleted, and with its claim goes the record of what it has signed."
                + " The standby has the key, and does not start: it could sign the same again.",
            stage -> stage.kubectl("delete", "seinode", FIRST),
            says(SECOND, "SigningStateUnknown")
                .and((stage, view) -> hasNoPod(stage, FIRST) && hasNoPod(stage, SECOND)),
            LIMIT),
        new Scene(
            "handed over",
            "Somebody who knows that nothing can be signed twice names the lost claim. The standby"
                + " starts.",
            ValidatorScenes::acceptLoss,
            runs(SECOND, OLD_IMAGE),
            LIMIT));
  }

  private static void acceptLoss(Stage stage) {
    String claim =
        stage.client().resources(SeiSigningKey.class).list().getItems().stream()
            .map(it -> it.getSpec().claim().uid())
            .findFirst()
            .orElseThrow();
    stage.kubectl(
        "patch",
        "seinode",
        SECOND,
        "--type=merge",
        "-p",
        "'{\"spec\":{\"validator\":{\"acceptSigningStateLoss\":\"" + claim + "\"}}}'");
  }

  /** Names of the pods that appear. */
  static List<String> pods() {
    return List.of(FIRST + "-0", SECOND + "-0");
  }

  private static void createSecrets(Stage stage) {
    write(KEYS.resolve("priv_validator_key.json"), ThrowAwayKeys.SIGNING_KEY);
    write(KEYS.resolve("node_key.json"), ThrowAwayKeys.NODE_KEY);
    write(KEYS.resolve("passphrase"), ThrowAwayKeys.MATERIAL);
    write(KEYS.resolve("keyring-file/node_admin.info"), ThrowAwayKeys.MATERIAL);
    write(KEYS.resolve("keyring-file/0123456789.address"), "node_admin");
    write(KEYS.resolve("keyring-file/keyhash"), "bcrypt");
    createSecret(stage, "atlantic-consensus-key", "priv_validator_key.json");
    createSecret(stage, "atlantic-p2p-identity", "node_key.json");
    createSecret(stage, "atlantic-keyring", "keyring-file");
    createSecret(stage, "atlantic-keyring-passphrase", "passphrase");
  }

  private static void createSecret(Stage stage, String name, String file) {
    stage.kubectl("create", "secret", "generic", name, "--from-file=" + KEYS.resolve(file));
  }

  private static void applyStandby(Stage stage) {
    try {
      write(STANDBY, Files.readString(SAMPLE).replace("name: " + FIRST, "name: " + SECOND));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    stage.kubectl("apply", "-f", STANDBY.toString());
  }

  private static void write(Path file, String text) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean hasNoPod(Stage stage, String node) {
    return stage.pod(node + "-0").isEmpty();
  }

  private static BiPredicate<Stage, LiveView> runs(String name, String image) {
    return node(name, it -> NodeScenes.runs(it, image));
  }

  private static BiPredicate<Stage, LiveView> says(String name, String reason) {
    return node(name, it -> NodeScenes.says(it, NodeConditionType.READY, false, reason));
  }

  private static BiPredicate<Stage, LiveView> node(String name, Predicate<SeiNode> is) {
    return (stage, view) -> view.node(name).filter(is).isPresent();
  }
}
