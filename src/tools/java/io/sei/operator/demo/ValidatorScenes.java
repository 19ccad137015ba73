package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;

/** Scenes of a validator with its keys in Secrets, and of a second one with the same keys. */
final class ValidatorScenes {

  private static final String FIRST = "atlantic-validator";
  private static final String SECOND = "atlantic-standby";
  private static final Path SAMPLE = Stage.SAMPLES.resolve("validator-with-keys.yaml");
  private static final Path KEYS = Stage.DIRECTORY.resolve("keys");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private ValidatorScenes() {}

  static List<Scene> all() {
    return List.of(
        new Scene(
            "no keys",
            "A validator is applied before its Secrets: it waits, and says for which.",
            stage -> stage.apply(SAMPLE),
            says(FIRST, "SigningKeyMissing"),
            LIMIT),
        new Scene(
            "keys",
            "The Secrets are made. The operator looks again within 5 seconds, and the validator"
                + " starts.",
            ValidatorScenes::createSecrets,
            runs(FIRST, NodeScenes.FIRST),
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
                stage.patch(
                    "seinode", FIRST, "{'spec':{'image':'%s'}}".formatted(NodeScenes.SECOND)),
            runs(FIRST, NodeScenes.SECOND),
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
            runs(SECOND, NodeScenes.FIRST),
            LIMIT));
  }

  private static void acceptLoss(Stage stage) {
    String claim =
        stage.client().resources(SeiSigningKey.class).list().getItems().stream()
            .map(key -> key.getSpec().claim().uid())
            .findFirst()
            .orElseThrow();
    stage.patch(
        "seinode",
        SECOND,
        "{'spec':{'validator':{'acceptSigningStateLoss':'%1$s'},'dataVolume':{'acceptDataLoss':'%1$s'}}}"
            .formatted(claim));
  }

  /** Names of the pods that appear. */
  static List<String> pods() {
    return List.of(FIRST + "-0", SECOND + "-0");
  }

  private static void createSecrets(Stage stage) {
    Stage.write(KEYS.resolve("priv_validator_key.json"), ThrowAwayKeys.SIGNING_KEY);
    Stage.write(KEYS.resolve("node_key.json"), ThrowAwayKeys.NODE_KEY);
    Stage.write(KEYS.resolve("passphrase"), ThrowAwayKeys.MATERIAL);
    Stage.write(KEYS.resolve("keyring-file/node_admin.info"), ThrowAwayKeys.MATERIAL);
    Stage.write(KEYS.resolve("keyring-file/0123456789.address"), "node_admin");
    Stage.write(KEYS.resolve("keyring-file/keyhash"), "bcrypt");
    createSecret(stage, "atlantic-consensus-key", "priv_validator_key.json");
    createSecret(stage, "atlantic-p2p-identity", "node_key.json");
    createSecret(stage, "atlantic-keyring", "keyring-file");
    createSecret(stage, "atlantic-keyring-passphrase", "passphrase");
  }

  private static void createSecret(Stage stage, String name, String file) {
    stage.kubectl("create", "secret", "generic", name, "--from-file=" + KEYS.resolve(file));
  }

  private static void applyStandby(Stage stage) {
    stage.apply("standby", Stage.read(SAMPLE).replace("name: " + FIRST, "name: " + SECOND));
  }

  private static boolean hasNoPod(Stage stage, String node) {
    return stage.pod(node + "-0").isEmpty();
  }

  private static BiPredicate<Stage, LiveView> runs(String name, String image) {
    return Scene.node(name, node -> NodeScenes.runs(node, image));
  }

  private static BiPredicate<Stage, LiveView> says(String name, String reason) {
    return Scene.node(name, node -> NodeScenes.says(node, NodeConditionType.READY, false, reason));
  }
}
