package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.Scheduling;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpecHashTest {

  private static final Map<String, String> REVISION = Map.of("sei.io/revision", "4");

  private static final Scheduling NONE = Scheduling.NONE;

  private static final Scheduling EMPTY =
      new Scheduling(Map.of(), List.of(), null, List.of(), "", List.of(), "");

  /** A validator with everything set that a pod depends on. */
  private static final SeiNodeSpec EVERYTHING =
      Nodes.validatorWithKeys()
          .with(
              builder ->
                  builder
                      .sidecar(new SidecarSpec("seictl:1", 7000, Nodes.requests("1", "1Gi")))
                      .podLabels(Map.of("team", "rpc", "tier", "", "sei.io/revision", "3"))
                      .dataVolume(Nodes.importing("old-disk"))
                      .resources(Nodes.requests("4", "16Gi"))
                      .terminationGracePeriodSeconds(300L));

  static Arguments[] restarts() {
    return new Arguments[] {
      change("image", builder -> builder.image("registry.example/seid:v6.5.0")),
      change("chainId", builder -> builder.chainId("atlantic-2")),
      change("mode", builder -> builder.validator(null).archive(new Archive(null))),
      change("sidecar removed", builder -> builder.sidecar(null)),
      change("sidecar image", builder -> builder.sidecar(sidecar("seictl:2", 7000, "1"))),
      change("sidecar image unset", builder -> builder.sidecar(sidecar(null, 7000, "1"))),
      change("sidecar port", builder -> builder.sidecar(sidecar("seictl:1", 7001, "1"))),
      change("sidecar port unset", builder -> builder.sidecar(sidecar("seictl:1", null, "1"))),
      change("sidecar resources", builder -> builder.sidecar(sidecar("seictl:1", 7000, "2"))),
      change("pod label added", builder -> builder.podLabels(labels("zone", "a"))),
      change("pod label changed", builder -> builder.podLabels(labels("team", "core"))),
      change("empty pod label removed", builder -> builder.podLabels(Map.of("team", "rpc"))),
      change("pod labels removed", builder -> builder.podLabels(null)),
      change("claim", builder -> builder.dataVolume(Nodes.importing("new-disk"))),
      change("claim not imported", builder -> builder.dataVolume(null)),
      change("resources", builder -> builder.resources(Nodes.requests("5", "16Gi"))),
      change("resources unset", builder -> builder.resources(null)),
      change("limits instead of requests", builder -> builder.resources(limits("4", "16Gi"))),
      change("scheduling", builder -> builder.scheduling(placed("nvme", "team"))),
      change(
          "only pull secrets",
          builder -> builder.scheduling(NONE.withImagePullSecrets(secret("r")))),
      change("grace", builder -> builder.terminationGracePeriodSeconds(301L)),
      change("grace of 0", builder -> builder.terminationGracePeriodSeconds(0L)),
      change("grace unset", builder -> builder.terminationGracePeriodSeconds(null)),
      change("reset of the data", builder -> builder.dataResetGeneration(1L)),
      change("hold", builder -> builder.maintenance(new Maintenance(Maintenance.Hold.AFTER_EXIT))),
      change("keys removed", builder -> builder.validator(Nodes.validator(null, null, null))),
      change("signing key", keys("other", "validator-node-key", "validator-keyring")),
      change("node key", keys("validator-signing-key", "other", "validator-keyring")),
      change("keyring", keys("validator-signing-key", "validator-node-key", "other")),
      change("passphrase", keyring("node_admin", "other", "passphrase")),
      change("key of the passphrase", keyring("node_admin", "validator-passphrase", "other"))
    };
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("restarts")
  void whatThePodDependsOnRestartsIt(String what, SeiNodeSpec changed) {
    assertThat(SpecHash.of(changed, null)).isNotEqualTo(SpecHash.of(EVERYTHING, null));
  }

  static Arguments[] doesNotRestart() {
    return new Arguments[] {
      change("paused", builder -> builder.paused(true)),
      change("overrides", builder -> builder.overrides(Map.of("storage.pruning", "nothing"))),
      change("peers", builder -> builder.peers(List.of(peer()))),
      change("externalAddress", builder -> builder.externalAddress("node.example:26656")),
      change("progress deadline", builder -> builder.progressDeadlineSeconds(60)),
      change("revision label", builder -> builder.podLabels(labels("sei.io/revision", "4"))),
      change(
          "a label the operator overrides",
          builder -> builder.podLabels(labels("sei.io/node", "x"))),
      change("order of labels", builder -> builder.podLabels(reversed(EVERYTHING.podLabels()))),
      change("cpu in milli", builder -> builder.resources(Nodes.requests("4000m", "16Gi"))),
      change("memory in Mi", builder -> builder.resources(Nodes.requests("4", "16384Mi"))),
      change("memory in bytes", builder -> builder.resources(Nodes.requests("4.0", "17179869184"))),
      change(
          "empty limits",
          builder -> builder.resources(withEmptyLimits(Nodes.requests("4", "16Gi")))),
      change("size of the claim", builder -> builder.dataVolume(sized("old-disk"))),
      change("retention of the claim", builder -> builder.dataVolume(retained("old-disk"))),
      change(
          "accepted loss",
          builder -> builder.validator(EVERYTHING.validator().withAcceptSigningStateLoss("uid"))),
      change("name of the signing account", keyring("other", "validator-passphrase", "passphrase"))
    };
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("doesNotRestart")
  void whatThePodDoesNotDependOnDoesNotRestartIt(String what, SeiNodeSpec changed) {
    assertThat(SpecHash.of(changed, null)).isEqualTo(SpecHash.of(EVERYTHING, null));
  }

  static Arguments[] saysNothing() {
    return new Arguments[] {
      unset("no sidecar image", builder -> builder.sidecar(new SidecarSpec("", null, null))),
      unset("the schema's port", builder -> builder.sidecar(new SidecarSpec(null, 7777, null))),
      unset("empty resources", builder -> builder.resources(new ResourceRequirements())),
      unset("nothing of scheduling", builder -> builder.scheduling(NONE)),
      unset("empty scheduling", builder -> builder.scheduling(EMPTY)),
      unset("no labels", builder -> builder.podLabels(Map.of())),
      unset("only the revision", builder -> builder.podLabels(REVISION)),
      unset(
          "nothing imported",
          builder -> builder.dataVolume(new DataVolume(null, null, null, null, null))),
      unset("what a claim is made from", builder -> builder.dataVolume(restored())),
      unset("maintenance without a hold", builder -> builder.maintenance(new Maintenance(null))),
      unset("empty lists", builder -> builder.overrides(Map.of()).peers(List.of())),
      unset("snapshot", builder -> builder.fullNode(new FullNode(stateSync(), null))),
      unset("snapshots", builder -> builder.fullNode(new FullNode(null, snapshotGeneration())))
    };
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("saysNothing")
  void whatSaysNothingIsTheSameAsUnset(String what, SeiNodeSpec spec) {
    assertThat(SpecHash.of(spec, null)).isEqualTo(SpecHash.of(Nodes.full(), null));
  }

  /** The order of a list is the user's; that of a map has no meaning. */
  @Test
  void schedulingIsComparedFieldByField() {
    var one = Nodes.full().withScheduling(placed("nvme", "team"));
    var same =
        Nodes.full()
            .withScheduling(
                placed("nvme", "team")
                    .withNodeSelector(
                        new LinkedHashMap<>(Map.of("disk", "nvme", "arch", "amd64"))));

    assertThat(SpecHash.of(same, null)).isEqualTo(SpecHash.of(one, null));
    assertThat(SpecHash.of(Nodes.full().withScheduling(placed("nvme", "other")), null))
        .isNotEqualTo(SpecHash.of(one, null));
  }

  @Test
  void whatIsAskedOfOneNodeIsNotOfItsTemplate() {
    var held =
        EVERYTHING.with(
            builder ->
                builder
                    .maintenance(new Maintenance(Maintenance.Hold.IMMEDIATE))
                    .dataResetGeneration(3L));

    assertThat(SpecHash.ofTemplate(held, "now")).isEqualTo(SpecHash.of(EVERYTHING, "now"));
  }

  @Test
  void aRestartRequestRestartsOnce() {
    var none = SpecHash.of(Nodes.full(), null);
    var first = SpecHash.of(Nodes.full(), "2026-06-02T10:00:00Z");
    var second = SpecHash.of(Nodes.full(), "2026-06-03T10:00:00Z");

    assertThat(first).isNotEqualTo(none).isNotEqualTo(second);
    assertThat(SpecHash.of(Nodes.full(), " ")).isEqualTo(none);
    assertThat(SpecHash.of(Nodes.full(), "2026-06-02T10:00:00Z")).isEqualTo(first);
  }

  @Test
  void aNodesRestartRequestIsItsAnnotation() {
    var node = Nodes.node(Nodes.full());
    assertThat(SpecHash.of(node)).isEqualTo(SpecHash.of(Nodes.full(), null));

    node.getMetadata().setAnnotations(Map.of("sei.io/restart-requested-at", "now"));
    assertThat(SpecHash.of(node)).isEqualTo(SpecHash.of(Nodes.full(), "now"));
  }

  @Test
  void aQuantityThatIsNoneStillHasAHash() {
    var spec = Nodes.full().withResources(Nodes.requests("lots", "16Gi"));

    assertThat(SpecHash.of(spec, null)).isNotEqualTo(SpecHash.of(Nodes.full(), null));
  }

  /**
   * These values are stamped on pods that run. If this test fails, the change restarts every node
   * of every user: bring the values back, or give the format a new prefix.
   */
  @ParameterizedTest
  @CsvSource({
    "full, v1:73043eea5c0e1254",
    "archive, v1:781d4e135fecc0eb",
    "replayer, v1:77e9a6732d07d7e9",
    "validator, v1:a4d7160bf2e76891",
    "validator with keys, v1:3b4be88ac2953bc4",
    "everything, v1:491fbd775be6f6eb",
    "placed, v1:88efe02e2ce3ab4b",
    "full restarted, v1:a679f000ffbe23c3"
  })
  void hashesAreFrozen(String example, String expected) {
    var actual =
        switch (example) {
          case "full" -> SpecHash.of(Nodes.full(), null);
          case "archive" -> SpecHash.of(Nodes.archive(), null);
          case "replayer" -> SpecHash.of(Nodes.replayer(), null);
          case "validator" -> SpecHash.of(Nodes.validator(), null);
          case "validator with keys" -> SpecHash.of(Nodes.validatorWithKeys(), null);
          case "everything" -> SpecHash.of(EVERYTHING, null);
          case "placed" -> SpecHash.of(Nodes.full().withScheduling(placed("nvme", "team")), null);
          case "full restarted" -> SpecHash.of(Nodes.full(), "2026-06-02T10:00:00Z");
          default -> throw new IllegalArgumentException(example);
        };

    assertThat(actual).isEqualTo(expected);
  }

  @Test
  void itsOwnFormatIsKnown() {
    assertThat(SpecHash.isKnownFormat(SpecHash.of(Nodes.full(), null))).isTrue();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "v2:0123456789abcdef", "0123456789abcdef", "v10:01"})
  void otherFormatsAreNot(String hash) {
    assertThat(SpecHash.isKnownFormat(hash)).isFalse();
  }

  private static Arguments change(String what, UnaryOperator<SeiNodeSpecBuilder> change) {
    return arguments(what, change.apply(SeiNodeSpecBuilder.builder(EVERYTHING)).build());
  }

  private static Arguments unset(String what, UnaryOperator<SeiNodeSpecBuilder> change) {
    return arguments(what, change.apply(SeiNodeSpecBuilder.builder(Nodes.full())).build());
  }

  private static Scheduling placed(String disk, String taint) {
    return NONE.with(
        builder ->
            builder
                .nodeSelector(new TreeMap<>(Map.of("disk", disk, "arch", "amd64")))
                .tolerations(
                    List.of(
                        new TolerationBuilder()
                            .withKey(taint)
                            .withOperator("Exists")
                            .withEffect("NoSchedule")
                            .build()))
                .affinity(
                    new AffinityBuilder()
                        .withNewPodAntiAffinity()
                        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                        .withTopologyKey("kubernetes.io/hostname")
                        .withNewLabelSelector()
                        .addToMatchLabels("sei.io/role", "validator")
                        .endLabelSelector()
                        .endRequiredDuringSchedulingIgnoredDuringExecution()
                        .endPodAntiAffinity()
                        .build())
                .priorityClassName("chain"));
  }

  private static List<LocalObjectReference> secret(String name) {
    return List.of(new LocalObjectReference(name));
  }

  private static UnaryOperator<SeiNodeSpecBuilder> keys(
      String signingKey, String nodeKey, String keyring) {
    return builder ->
        builder.validator(
            Nodes.validator(
                signingKey,
                nodeKey,
                Nodes.keyring(keyring, "node_admin", "validator-passphrase", "passphrase")));
  }

  private static UnaryOperator<SeiNodeSpecBuilder> keyring(
      String keyName, String passphraseSecret, String passphraseKey) {
    return builder ->
        builder.validator(
            Nodes.validator(
                "validator-signing-key",
                "validator-node-key",
                Nodes.keyring("validator-keyring", keyName, passphraseSecret, passphraseKey)));
  }

  private static SidecarSpec sidecar(String image, Integer port, String cpu) {
    return new SidecarSpec(image, port, Nodes.requests(cpu, "1Gi"));
  }

  private static Map<String, String> labels(String key, String value) {
    var labels = new HashMap<>(EVERYTHING.podLabels());
    labels.put(key, value);
    return labels;
  }

  /** Another iteration order, and no other difference than a revision that does not count. */
  private static Map<String, String> reversed(Map<String, String> labels) {
    var keys = labels.keySet().stream().sorted().toList();
    var reversed = new LinkedHashMap<String, String>();
    for (int i = keys.size() - 1; i >= 0; i--) {
      reversed.put(keys.get(i), labels.get(keys.get(i)));
    }
    reversed.putAll(REVISION);
    return reversed;
  }

  private static PeerSource peer() {
    return new PeerSource(null, null, new PeerSource.LabelPeers(Map.of("a", "b"), null));
  }

  private static DataVolume sized(String claim) {
    var size = new DataVolume.Storage.Requests(new Quantity("4Ti"));
    return new DataVolume(
        new DataVolume.Import(claim),
        null,
        new DataVolume.Storage("fast", null, new DataVolume.Storage.Resources(size), null),
        null,
        null);
  }

  private static DataVolume restored() {
    var snapshot = new DataVolume.SnapshotSource("newest", null, "24h");
    return new DataVolume(null, null, null, new DataVolume.From(snapshot), null);
  }

  private static DataVolume retained(String claim) {
    return new DataVolume(
        new DataVolume.Import(claim), DataVolume.RetentionPolicy.RETAIN, null, null, null);
  }

  private static Snapshot stateSync() {
    return new Snapshot(null, new Snapshot.StateSync(), "168h", 10L, null);
  }

  private static SnapshotGeneration snapshotGeneration() {
    return new SnapshotGeneration(new SnapshotGeneration.Tendermint(2, null));
  }

  private static ResourceRequirements limits(String cpu, String memory) {
    return new ResourceRequirementsBuilder()
        .addToLimits("cpu", new Quantity(cpu))
        .addToLimits("memory", new Quantity(memory))
        .build();
  }

  private static ResourceRequirements withEmptyLimits(ResourceRequirements resources) {
    return new ResourceRequirementsBuilder(resources).withLimits(Map.of()).build();
  }
}
