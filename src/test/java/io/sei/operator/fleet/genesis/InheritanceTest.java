package io.sei.operator.fleet.genesis;

import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.genesis.Inheritance.Remains;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.CeremonyLogs;
import io.sei.operator.testkit.samples.FleetSample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InheritanceTest {

  private static final String CLAIM = "PersistentVolumeClaim data-fleet-1";
  private static final String KEY = "Secret fleet-1-signing-key";

  private record Row(String what, Consumer<InheritanceTest> change, String lacking) {
    @Override
    public String toString() {
      return what;
    }
  }

  private final SeiNodeDeployment earlier = fleet("uid-of-the-earlier");
  private final List<Remains> remains = new ArrayList<>();
  private final List<String> publicKeys = new ArrayList<>();
  private final List<String> nodeIds = new ArrayList<>();
  private String chain = "lab-1";
  private ConfigMap genesis;

  InheritanceTest() {
    for (String node : List.of("fleet-0", "fleet-1")) {
      ValidatorKeys keys = ValidatorKeys.make(new SecureRandom());
      publicKeys.add(keys.publicKey());
      nodeIds.add(keys.nodeId());
      var found = new HashMap<String, HasMetadata>();
      KeySecretNames names = KeySecretNames.of(node);
      names.render(earlier, keys).forEach(secret -> put(found, stored(secret)));
      put(found, claim(node));
      remains.add(new Remains(node, names, "data-" + node, found));
    }
    genesis = made();
  }

  @Test
  void chainOfWhichAllIsThereGoesOn() {
    assertThat(lacking()).isEmpty();
    assertThat(GenesisConfigMap.record(genesis).orElseThrow().nodeIds()).isEqualTo(nodeIds);
  }

  static Stream<Row> rows() {
    return Stream.of(
        new Row("no claim", test -> test.found().remove(CLAIM), CLAIM),
        new Row("a claim that goes", test -> going(test.found().get(CLAIM)), CLAIM),
        new Row(
            "a claim of another",
            test -> test.found().get(CLAIM).getMetadata().setLabels(null),
            CLAIM),
        new Row("a claim in use", test -> owned(test.found().get(CLAIM)), CLAIM),
        new Row("no key", test -> test.found().remove(KEY), KEY),
        new Row(
            "no account",
            test -> test.found().remove("Secret fleet-1-account"),
            "Secret fleet-1-a"),
        new Row("a key that goes", test -> going(test.found().get(KEY)), KEY),
        new Row(
            "a key of another chain",
            test ->
                test.found()
                    .get(KEY)
                    .getMetadata()
                    .setAnnotations(Map.of(GenesisConfigMap.GENESIS_OF, "another")),
            KEY),
        new Row(
            "a node", test -> put(test.found(), node("fleet-1")), "SeiNode fleet-1 is still there"),
        new Row("another key", test -> test.replace("signing"), "another key than its Secret"),
        new Row(
            "another node key", test -> test.replace("node"), "another node key than its Secret"),
        new Row("fewer nodes", test -> test.remains.removeLast(), "its chain has 2 validators"),
        new Row("another chain", test -> test.make("lab-2"), "it belongs to chain lab-2"),
        new Row("no genesis", test -> test.genesis.setBinaryData(null), "it holds no genesis"),
        new Row(
            "a file", test -> test.genesis.getMetadata().setAnnotations(null), "it is no genesis"),
        new Row("a genesis that goes", test -> going(test.genesis), "it is no genesis"));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void chainOfWhichSomethingIsGoneIsLeftAlone(Row row) {
    row.change().accept(this);

    assertThat(lacking()).singleElement().asString().contains(row.lacking());
  }

  private List<String> lacking() {
    return Inheritance.lacking(fleet("uid-of-the-later"), genesis, remains);
  }

  private Map<String, HasMetadata> found() {
    return remains.getLast().found();
  }

  private void make(String other) {
    chain = other;
    genesis = made();
  }

  /** Deletes the Secret and creates another one with the same annotation. */
  private void replace(String which) {
    KeySecretNames.of("fleet-1").render(earlier, ValidatorKeys.make(new SecureRandom())).stream()
        .filter(secret -> secret.getMetadata().getName().equals("fleet-1-" + which + "-key"))
        .forEach(secret -> put(found(), stored(secret)));
  }

  private ConfigMap made() {
    String validators =
        String.join(
            ",",
            publicKeys.stream()
                .map("{\"body\":{\"messages\":[{\"pubkey\":{\"key\":\"%s\"}}]}}"::formatted)
                .toList());
    String json =
        "{\"chain_id\":\"%s\",\"app_state\":{\"genutil\":{\"gen_txs\":[%s]}}}"
            .formatted(chain, validators);
    try {
      byte[] compressed = CeremonyLogs.compressed(json);
      String stored = GenesisDocument.of(compressed).orElseThrow().stored().orElseThrow();
      return GenesisConfigMap.render(earlier, stored, nodeIds);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void put(Map<String, HasMetadata> found, HasMetadata object) {
    found.put(Remains.key(object.getClass(), object.getMetadata().getName()), object);
  }

  /** Returns the Secret as the API server stores it. */
  private static Secret stored(Secret secret) {
    var data = new TreeMap<String, String>();
    secret
        .getStringData()
        .forEach(
            (file, text) ->
                data.put(
                    file,
                    Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))));
    secret.setData(data);
    secret.setStringData(null);
    return secret;
  }

  private static PersistentVolumeClaim claim(String node) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName("data-" + node)
        .addToLabels(Labels.NODE, node)
        .endMetadata()
        .build();
  }

  private static SeiNode node(String name) {
    var node = new SeiNode();
    node.getMetadata().setName(name);
    return node;
  }

  private static void going(HasMetadata object) {
    object.getMetadata().setDeletionTimestamp("2026-06-01T12:00:00Z");
  }

  private static void owned(HasMetadata object) {
    object
        .getMetadata()
        .setOwnerReferences(
            List.of(new OwnerReferenceBuilder().withUid("u").withController(true).build()));
  }

  private static SeiNodeDeployment fleet(String uid) {
    SeiNodeDeployment fleet =
        aFleet(2, FleetSample.A)
            .spec(spec -> spec.withGenesis(new Genesis("lab-1", null, null, null, null, null)))
            .view()
            .deployment();
    fleet.getMetadata().setUid(uid);
    return fleet;
  }
}
