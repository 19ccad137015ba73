package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.Freeze;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeGenesis;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A node rendered for one platform, and the examples that are kept as files. */
record Rendering(String name, SeiNode node, OperatorConfig config) {

  static List<Rendering> examples() {
    var modes =
        Map.of(
            "full", Nodes.full(),
            "archive", Nodes.archive(),
            "replayer", Nodes.replayer(),
            "seed", Nodes.seed(),
            "validator", Nodes.validator(),
            "validator-with-keys", Nodes.validatorWithKeys());
    var examples = new ArrayList<Rendering>();
    modes.forEach((mode, spec) -> examples.add(example(mode, spec, Nodes.DEFAULTS)));
    examples.add(new Rendering("of-a-fleet", child(), Nodes.DEFAULTS));
    examples.add(
        example("paused", Nodes.full().with(builder -> builder.paused(true)), Nodes.DEFAULTS));
    var hold = new Maintenance(Maintenance.Hold.IMMEDIATE);
    examples.add(example("held", Nodes.full().withMaintenance(hold), Nodes.DEFAULTS));
    examples.add(example("frozen", frozen(), Nodes.DEFAULTS));
    examples.add(example("bootstrap-frozen", bootstrapping(frozen()), Nodes.DEFAULTS));
    examples.add(restored());
    examples.add(renewed());
    examples.add(signing());
    examples.add(example("remote-signer", Nodes.validatorWithRemoteSigner(), Nodes.DEFAULTS));
    examples.add(example("genesis-in-config-map", ofPrivateChain(), Nodes.DEFAULTS));
    examples.add(reset("data-reset", Nodes.full()));
    examples.add(reset("bootstrap-data-reset", bootstrapping(Nodes.full())));
    Map<String, SeiNodeSpec> everything = EverySpec.all();
    examples.add(example("everything-set", everything.get("full"), Nodes.DEFAULTS));
    examples.add(example("frozen-archive", everything.get("frozen-archive"), Nodes.DEFAULTS));
    examples.add(example("ceremony", everything.get("ceremony"), Nodes.DEFAULTS));
    examples.add(example("imported-claim", importing(), Nodes.DEFAULTS));
    examples.add(example("bootstrap", bootstrapping(Nodes.full()), Nodes.DEFAULTS));
    examples.add(example("bootstrap-imported-claim", bootstrapping(importing()), Nodes.PLATFORM));
    examples.add(
        example(
            "bootstrap-validator-with-keys",
            bootstrapping(Nodes.validatorWithKeys()),
            Nodes.DEFAULTS));
    examples.add(example("platform-full", Nodes.full(), Nodes.PLATFORM));
    examples.add(example("platform-archive", Nodes.archive(), Nodes.PLATFORM));
    return examples;
  }

  private static Rendering example(String name, SeiNodeSpec spec, OperatorConfig config) {
    return new Rendering(name, Nodes.node(spec), config);
  }

  private static SeiNode child() {
    SeiNode node = Nodes.node(Nodes.full());
    node.getMetadata().setLabels(Map.of(Labels.NODE_DEPLOYMENT, "pacific-rpc"));
    return node;
  }

  private static Rendering restored() {
    SeiNode node = Nodes.node(Nodes.full());
    node.setStatus(
        SeiNodeStatus.empty()
            .withRestoredFrom(new RestoredFrom("pacific-rpc-0-202606010000", "uid-1", "sei", 7L)));
    return new Rendering("restored", node, Nodes.DEFAULTS);
  }

  /** A node that syncs from peers, a restart of which was asked for. */
  private static Rendering renewed() {
    var snapshot = new Snapshot(null, new Snapshot.StateSync(), null, null, null);
    SeiNode node = Nodes.node(Nodes.full().withFullNode(new FullNode(snapshot, null)));
    node.getMetadata().setAnnotations(Map.of(Annotations.RESTART_REQUESTED_AT, "now"));
    return new Rendering("state-sync-renewal", node, Nodes.DEFAULTS);
  }

  private static Rendering reset(String name, SeiNodeSpec spec) {
    SeiNode node = Nodes.node(spec.withDataResetGeneration(2L));
    node.setStatus(SeiNodeStatus.empty().withDataReset(new DataReset(2L, "claim-1", null, null)));
    return new Rendering(name, node, Nodes.DEFAULTS);
  }

  private static SeiNodeSpec ofPrivateChain() {
    var genesis = new NodeGenesis.ConfigMapKey("lab-1-genesis", "genesis.json.gz");
    return Nodes.full().withChainId("lab-1").withGenesis(new NodeGenesis(genesis));
  }

  private static SeiNodeSpec frozen() {
    return Nodes.full()
        .with(
            builder ->
                builder
                    .fullNode(new FullNode(null, null, new Freeze(2_000_000L)))
                    .podLabels(Map.of("sei.io/frozen", "no")));
  }

  /** A validator whose signing key a plan has recorded. */
  private static Rendering signing() {
    SeiNode node = Nodes.node(Nodes.validatorWithKeys());
    node.setStatus(SeiNodeStatus.empty().withSigningPublicKey(ThrowAwayKeys.PUBLIC_KEY));
    return new Rendering("signing-key-recorded", node, Nodes.DEFAULTS);
  }

  private static SeiNodeSpec importing() {
    return Nodes.full().withDataVolume(Nodes.importing("restored-disk"));
  }

  /** The node with a bootstrap, if its mode can have one. */
  static SeiNodeSpec bootstrapping(SeiNodeSpec spec) {
    var snapshot =
        new Snapshot(new Snapshot.S3(1_000_000L), null, null, null, "registry.example/seid:v5.9.0");
    return spec.with(
        builder -> {
          if (spec.fullNode() != null) {
            builder.fullNode(spec.fullNode().withSnapshot(snapshot));
          } else if (spec.replayer() != null) {
            builder.replayer(new Replayer(snapshot, spec.replayer().resultExport()));
          } else if (spec.validator() != null) {
            var validator = spec.validator();
            builder.validator(
                new Validator(
                    snapshot,
                    validator.genesisCeremony(),
                    validator.signingKey(),
                    validator.nodeKey(),
                    validator.operatorKeyring(),
                    null,
                    null,
                    null));
          }
        });
  }

  Optional<Job> bootstrapJob() {
    return Bootstrap.of(node.getSpec())
        .map(
            bootstrap ->
                new BootstrapJobRenderer(config, OfflineNode.FEATURES).render(node, "run-1"));
  }

  List<HasMetadata> objects() {
    var objects =
        Stream.concat(
            Stream.<HasMetadata>of(
                new StatefulSetRenderer(config, OfflineNode.FEATURES).render(node),
                new ServiceRenderer().render(node, Set.of()),
                RbacProxyConfigRenderer.render(node)),
            Stream.<HasMetadata>concat(
                new ClaimRenderer(config).render(node).stream(),
                node.getSpec().remoteSigner().stream()
                    .map(any -> new ServiceRenderer().signer(node))));
    return Stream.<HasMetadata>concat(objects, bootstrapJob().stream()).toList();
  }

  String yaml() {
    return objects().stream().map(Serialization::asYaml).collect(Collectors.joining());
  }

  @Override
  public String toString() {
    return name;
  }
}
