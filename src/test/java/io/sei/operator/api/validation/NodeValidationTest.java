package io.sei.operator.api.validation;

import static io.sei.operator.api.validation.SpecSamples.archive;
import static io.sei.operator.api.validation.SpecSamples.fullNode;
import static io.sei.operator.api.validation.SpecSamples.generation;
import static io.sei.operator.api.validation.SpecSamples.replayer;
import static io.sei.operator.api.validation.SpecSamples.s3;
import static io.sei.operator.api.validation.SpecSamples.stateSync;
import static io.sei.operator.api.validation.SpecSamples.validator;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NodeValidationTest {

  private static final String RESERVED =
      "must not be set: the operator alone sets labels under sei.io/";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** A rule: the spec that breaks it with the one error expected, and a neighbour that does not. */
  record Rule(String error, SeiNodeSpec breaks, SeiNodeSpec keeps) {
    @Override
    public String toString() {
      return error;
    }
  }

  static Stream<Rule> rules() {
    return Stream.of(modes(), snapshots(), validators()).flatMap(rules -> rules);
  }

  private static Stream<Rule> modes() {
    String union =
        "spec: exactly one of fullNode, archive, replayer, seed, or validator must be set";
    return Stream.of(
        new Rule(union, fullNode().withFullNode(null), fullNode()),
        new Rule(union, fullNode().withArchive(new Archive(null)), archive(null)),
        new Rule(
            "spec.replayer.snapshot.s3: must be set: a replayer starts from a snapshot in S3",
            replayer().withReplayer(new Replayer(stateSync(), null)),
            replayer()));
  }

  private static Stream<Rule> snapshots() {
    return Stream.of(
        new Rule(
            "spec.fullNode.snapshot.bootstrapImage: requires s3.targetHeight: it is the height up"
                + " to which the image replays",
            with(new Snapshot(null, new Snapshot.StateSync(), null, null, "seid:v5")),
            with(new Snapshot(new Snapshot.S3(5L), null, null, null, "seid:v5"))),
        new Rule(
            "spec.archive.snapshotGeneration.tendermint.keepRecent: must be at least 2 when publish"
                + " is set",
            archive(generation(1, true)),
            archive(generation(2, true))));
  }

  private static Stream<Rule> validators() {
    String distinct =
        "spec.validator: signingKey, nodeKey, operatorKeyring and its passphrase must be in"
            + " distinct Secrets";
    SeiNodeSpec ok = keys("sign", "node", "ring", "pass");
    var ceremony = new Validator.GenesisCeremony("c", "1usei", "2usei", 0, null, null, null, null);
    return Stream.of(
        new Rule(distinct, keys("x", "x", "ring", "pass"), ok),
        new Rule(distinct, keys("x", "node", "x", "pass"), ok),
        new Rule(distinct, keys("x", "node", "ring", "x"), ok),
        new Rule(distinct, keys("sign", "x", "x", "pass"), ok),
        new Rule(distinct, keys("sign", "x", "ring", "x"), ok),
        new Rule(distinct, keys("sign", "node", "x", "x"), ok),
        new Rule(
            "spec.validator: signingKey and genesisCeremony are mutually exclusive",
            validator(ok.validator().with(builder -> builder.genesisCeremony(ceremony))),
            validator(new Validator(s3(10L), ceremony, null, null, null, null, null, null))));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void enforcesTheRule(Rule rule) {
    assertThat(NodeValidation.validate(rule.breaks()))
        .extracting(FieldError::toString)
        .containsExactly(rule.error());
    assertThat(NodeValidation.validate(rule.keeps())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "16                    |",
        "[1, 0.1, `x`, true]   |",
        "{`a`: {`b`: []}}      |",
        "9007199254740992      |",
        "9007199254740993      | spec.configValues[0].value: must be a number that a float64 has"
            + " exactly, since sidecars read it as one",
        "null                  | spec.configValues[0].value: must not be null: TOML has none",
        "{`a`: [{`b`: null}]}  | spec.configValues[0].value.a[0].b: must not be null: TOML has"
            + " none",
      })
  void valuesForFilesAreWhatTomlCanHave(String value, String error) throws IOException {
    var entry = new ConfigValue("app.toml", "a", JSON.readTree(value.replace('`', '"')));

    assertThat(NodeValidation.validate(fullNode().withConfigValues(List.of(entry))))
        .extracting(FieldError::toString)
        .isEqualTo(Stream.ofNullable(error).toList());
  }

  @ParameterizedTest(name = "node {0} with label {1} and pod labels {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          alone | | team=a,app.kubernetes.io/name=rpc |
          alone | | sei.io/nodedeployment=rpc | sei.io/nodedeployment
          alone | | sei.io/frozen=true | sei.io/frozen
          alone | rpc | sei.io/nodedeployment=rpc | sei.io/nodedeployment
          rpc-0 | | sei.io/nodedeployment=rpc | sei.io/nodedeployment
          rpc-0 | rpc | sei.io/nodedeployment=other | sei.io/nodedeployment
          rpc-0 | rpc | sei.io/revision=1 | sei.io/revision
          rpc-x | rpc | sei.io/nodedeployment=rpc | sei.io/nodedeployment
          rpc-0 | rpc | sei.io/nodedeployment=rpc,sei.io/revision=1,sei.io/chain=a |
          rpc-0 | rpc | sei.io/nodedeployment=rpc,sei.io/component=bootstrap | sei.io/component
          """)
  void labelsOfTheOperatorAreOnPodsOfAFleetAlone(
      String name, String fleet, String podLabels, String refused) {
    Map<String, String> labels =
        Stream.of(podLabels.split(","))
            .map(text -> text.split("="))
            .collect(Collectors.toMap(value -> value[0], value -> value[1]));
    SeiNode node = Samples.node("ns", name, fullNode().withPodLabels(labels));
    if (fleet != null) {
      node.getMetadata().setLabels(Map.of("sei.io/nodedeployment", fleet));
    }

    assertThat(NodeValidation.validate(node))
        .extracting(FieldError::toString)
        .isEqualTo(
            Stream.ofNullable(refused)
                .map(key -> "spec.podLabels[%s]: %s".formatted(key, RESERVED))
                .toList());
    assertThat(NodeValidation.validateTemplate(node.getSpec()))
        .hasSize((int) labels.keySet().stream().filter(key -> key.startsWith("sei.io/")).count());
  }

  @Test
  void secretsOfACeremonyAreTheNodesOwn() {
    SeiNodeSpec own = validator(ceremony("chain-0-signing-key", "chain-0-node-key"));
    assertThat(NodeValidation.validate(Samples.node("ns", "chain-0", own))).isEmpty();

    assertThat(NodeValidation.validate(Samples.node("ns", "chain-1", own)))
        .extracting(FieldError::toString)
        .containsExactly(
            "spec.validator.genesisCeremony.signingKeySecret: must be chain-1-signing-key, which"
                + " the node's fleet has made",
            "spec.validator.genesisCeremony.nodeKeySecret: must be chain-1-node-key, which the"
                + " node's fleet has made");
    assertThat(NodeValidation.validate(validator(ceremony("same", "same"))))
        .extracting(FieldError::path)
        .containsExactly("spec.validator");
  }

  private static Validator ceremony(String signingKey, String nodeKey) {
    var ceremony =
        new GenesisCeremony("lab-1", "1usei", "2usei", 0, signingKey, nodeKey, null, null);
    return ValidatorBuilder.builder().genesisCeremony(ceremony).build();
  }

  @Test
  void valuesForFilesAreNeitherDeepNorLong() throws IOException {
    String levels = "must have at most 4 levels of arrays and objects";
    assertThat(excess("[[[[1]]]]")).isEmpty();
    assertThat(excess("{'a':[{'b':{'c':1}}]}".replace('\'', '"'))).isEmpty();
    assertThat(excess("[[[[[]]]]]")).containsExactly(levels);
    assertThat(excess("[".repeat(900) + "]".repeat(900))).containsExactly(levels);

    assertThat(excess("\"" + "x".repeat(4094) + "\"")).isEmpty();
    assertThat(excess("\"" + "ü".repeat(2048) + "\""))
        .containsExactly("must have at most 4096 bytes as JSON, and has 4098");
    assertThat(excess("[" + "[],".repeat(2000) + "[]]"))
        .containsExactly("must have at most 4096 bytes as JSON, and has 6004");
  }

  private static List<String> excess(String value) throws IOException {
    var entry = new ConfigValue("app.toml", "a", JSON.readTree(value));
    return NodeValidation.validate(fullNode().withConfigValues(List.of(entry))).stream()
        .map(FieldError::message)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "168h, true",
    "1h30m, true",
    "1.5h, true",
    "0, true",
    "'', true",
    "14d, false",
    "h, false",
    "1h-, false",
    "-1h, false"
  })
  void trustPeriodIsADurationThatTheSidecarCanRead(String period, boolean valid) {
    var snapshot = new Snapshot(null, new Snapshot.StateSync(), period, null, null);

    assertThat(NodeValidation.validate(with(snapshot)))
        .extracting(FieldError::path)
        .isEqualTo(valid ? List.of() : List.of("spec.fullNode.snapshot.trustPeriod"));
  }

  @ParameterizedTest
  @CsvSource({
    "3f472746f46493309650e5a033076689996c8881@h:1, true",
    "3f472746f46493309650e5a033076689996c8881@[::1]:26656, true",
    "h:1, false",
    "a@h:1, true",
    "3f472746f46493309650e5a033076689996c8881@h, false",
    "'3f472746f46493309650e5a033076689996c8881@h:1,3f472746f46493309650e5a033076689996c8882@h:2',"
        + " false"
  })
  void addressOfAPeerIsOne(String address, boolean valid) {
    var peers = new PeerSource(null, new PeerSource.StaticPeers(List.of(address)), null);

    assertThat(NodeValidation.validate(fullNode().withPeers(List.of(peers))))
        .extracting(FieldError::path)
        .isEqualTo(valid ? List.of() : List.of("spec.peers[0].static.addresses[0]"));
  }

  @Test
  void reportsEveryBrokenRule() {
    SeiNodeSpec spec =
        archive(generation(1, true)).withValidator(keys("x", "x", "y", "z").validator());
    assertThat(NodeValidation.validate(spec))
        .extracting(FieldError::path)
        .containsExactly(
            "spec", "spec.archive.snapshotGeneration.tendermint.keepRecent", "spec.validator");
  }

  private static SeiNodeSpec keys(String signing, String node, String keyring, String passphrase) {
    return validator(
        new Validator(
            null,
            null,
            new Validator.SigningKey(new Validator.KeySecret(signing)),
            new Validator.NodeKey(new Validator.KeySecret(node)),
            new Validator.OperatorKeyring(
                new Validator.KeyringSecret(
                    keyring, null, new Validator.PassphraseSecretRef(passphrase, "key"))),
            null,
            null,
            null));
  }

  private static SeiNodeSpec with(Snapshot snapshot) {
    return fullNode().withFullNode(new FullNode(snapshot, null));
  }
}
