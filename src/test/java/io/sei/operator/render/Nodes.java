package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.Seed;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;

/** SeiNodes to render. */
public final class Nodes {

  static final String UID = "6f1cde8c-4b0a-4f37-9d5e-0c7d0a2f4a11";

  static final OperatorConfig DEFAULTS = OperatorConfig.fromEnvironment(Map.of());

  /** A platform that sets what a managed cluster sets. */
  static final OperatorConfig PLATFORM =
      OperatorConfig.fromEnvironment(
          Map.ofEntries(
              Map.entry("SEI_NODEPOOL_NAME", "sei-node"),
              Map.entry("SEI_NODEPOOL_ARCHIVE", "sei-archive"),
              Map.entry("SEI_TOLERATION_KEY", "sei.io/workload"),
              Map.entry("SEI_SERVICE_ACCOUNT", "seid-node"),
              Map.entry("SEI_STORAGE_CLASS_PERF", "gp3-10k-750"),
              Map.entry("SEI_STORAGE_CLASS_ARCHIVE", "gp3-archive"),
              Map.entry("SEI_GENESIS_BUCKET", "sei-genesis"),
              Map.entry("SEI_GENESIS_REGION", "eu-central-1"),
              Map.entry("SEI_SNAPSHOT_BUCKET", "sei-snapshots"),
              Map.entry("SEI_SNAPSHOT_REGION", "us-east-2"),
              Map.entry("SEI_SIDECAR_IMAGE", "registry.example/seictl:v0.0.50"),
              Map.entry("SEI_KUBE_RBAC_PROXY_IMAGE", "registry.example/kube-rbac-proxy:v0.19.1"),
              Map.entry("SEI_COSMOS_EXPORTER_IMAGE", "registry.example/exporter:v1.2.3")));

  private Nodes() {}

  public static SeiNode node(SeiNodeSpec spec) {
    return named("pacific-rpc-0", spec);
  }

  static SeiNode named(String name, SeiNodeSpec spec) {
    var node = new SeiNode();
    node.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .withNamespace("sei-nodes")
            .withUid(UID)
            .withGeneration(3L)
            .withResourceVersion("4711")
            .build());
    node.setSpec(spec);
    return node;
  }

  static SeiNodeSpecBuilder spec() {
    return SeiNodeSpecBuilder.builder().chainId("pacific-1").image("registry.example/seid:v6.4.1");
  }

  public static SeiNodeSpec full() {
    return spec().fullNode(new FullNode(null, null)).build();
  }

  static SeiNodeSpec archive() {
    return spec().archive(new Archive(null)).build();
  }

  static SeiNodeSpec replayer() {
    return spec()
        .replayer(
            new Replayer(
                new Snapshot(new Snapshot.S3(1_000_000L), null, null, null, null),
                new Replayer.ResultExport(new Replayer.ShadowResult("https://rpc.example"))))
        .peers(
            List.of(
                new PeerSource(
                    null,
                    new PeerSource.StaticPeers(
                        List.of("8252bf8992ff56621589ea3a3c32658172b1651a@peer.example:26656")),
                    null)))
        .build();
  }

  static SeiNodeSpec seed() {
    var key = new Validator.NodeKey(new Validator.KeySecret("seed-node-key"));
    return spec().seed(new Seed(key)).build();
  }

  static SeiNodeSpec validator() {
    return spec().validator(validator(null, null, null)).build();
  }

  static SeiNodeSpec validatorWithKeys() {
    return spec()
        .validator(
            validator(
                "validator-signing-key",
                "validator-node-key",
                keyring("validator-keyring", "node_admin", "validator-passphrase", "passphrase")))
        .build();
  }

  /** A validator that signs with what dials in. */
  static SeiNodeSpec validatorWithRemoteSigner() {
    return spec()
        .validator(
            validator(null, "validator-node-key", null)
                .withRemoteSigner(
                    new Validator.RemoteSigner("tcp://0.0.0.0:26659", ThrowAwayKeys.PUBLIC_KEY)))
        .build();
  }

  static Validator validator(
      String signingKey, String nodeKey, Validator.OperatorKeyring operatorKeyring) {
    return new Validator(
        null,
        null,
        signingKey == null ? null : new Validator.SigningKey(new Validator.KeySecret(signingKey)),
        nodeKey == null ? null : new Validator.NodeKey(new Validator.KeySecret(nodeKey)),
        operatorKeyring,
        null,
        null,
        null);
  }

  static Validator.OperatorKeyring keyring(
      String secret, String keyName, String passphraseSecret, String passphraseKey) {
    return new Validator.OperatorKeyring(
        new Validator.KeyringSecret(
            secret, keyName, new Validator.PassphraseSecretRef(passphraseSecret, passphraseKey)));
  }

  static DataVolume importing(String claim) {
    return Samples.imported(claim);
  }

  static ResourceRequirements requests(String cpu, String memory) {
    return new ResourceRequirementsBuilder()
        .addToRequests("cpu", new Quantity(cpu))
        .addToRequests("memory", new Quantity(memory))
        .build();
  }
}
