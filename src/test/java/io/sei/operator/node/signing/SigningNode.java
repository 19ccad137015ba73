package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.Validator.KeySecret;
import io.sei.operator.api.v1alpha1.Validator.NodeKey;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.NodeMode;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A validator with the key of these tests, and what a cluster has of it.
 *
 * @param remote whether its spec declares the key for a remote signer, in place of a Secret
 */
record SigningNode(String namespace, String name, boolean remote) {

  static final String KEY = ThrowAwayKeys.publicKey("shared");
  static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  static final String SECRET = "consensus-key";

  private static final Secret PRIVATE_KEY =
      ThrowAwayKeys.secret(SECRET, Map.of(SigningKey.FILE, ThrowAwayKeys.signingKeyFile("shared")));

  static SigningNode local(String namespace, String name) {
    return new SigningNode(namespace, name, false);
  }

  static SigningNode remote(String namespace, String name) {
    return new SigningNode(namespace, name, true);
  }

  /** The node as a signer whose Secret, if it has one, was just read. */
  Signer signer(String accepted) {
    return SignerBuilder.builder()
        .key(KEY)
        .possession(remote ? Possession.DECLARED : Possession.PROVED)
        .chainId("local-1")
        .namespace(namespace)
        .node(name)
        .uid("uid-" + name)
        .volume(Optional.of(claim()))
        .remote(remote)
        .accepted(Optional.ofNullable(accepted))
        .acceptedData(Optional.ofNullable(accepted))
        .grace(Duration.ofMinutes(2))
        .now(NOW)
        .build();
  }

  Claim claim() {
    return new Claim("data-" + name, "claim-" + name, null, null);
  }

  SeiNode node() {
    SeiNode node = Samples.node(namespace, name, null);
    node.getMetadata().setUid("uid-" + name);
    node.setSpec(
        SeiNodeSpecBuilder.builder()
            .chainId("local-1")
            .image("sei:a")
            .validator(
                remote
                    ? ValidatorBuilder.builder()
                        .remoteSigner(new RemoteSigner("tcp://0.0.0.0:26659", KEY))
                        .build()
                    : ValidatorBuilder.builder()
                        .signingKey(new SigningKey(new KeySecret(SECRET)))
                        .nodeKey(new NodeKey(new KeySecret("identity-" + name)))
                        .build())
            .build());
    return node;
  }

  /** The Secret with the private key, if it has one. */
  Optional<Secret> secret() {
    return remote
        ? Optional.empty()
        : Optional.of(
            PRIVATE_KEY.edit().editMetadata().withNamespace(namespace).endMetadata().build());
  }

  HasMetadata boundClaim() {
    return new PersistentVolumeClaimBuilder()
        .withMetadata(meta("data-" + name, "claim-" + name).build())
        .build();
  }

  /** Its StatefulSet and its pod. */
  List<HasMetadata> workload() {
    return List.of(
        new StatefulSetBuilder()
            .withMetadata(
                meta(name, "sts-" + name)
                    .withOwnerReferences(controller("sei.io/v1alpha1", "SeiNode", "uid-" + name))
                    .build())
            .withNewSpec()
            .withReplicas(1)
            .withNewTemplate()
            .withSpec(podSpec())
            .endTemplate()
            .endSpec()
            .build(),
        new PodBuilder()
            .withMetadata(
                meta(name + "-0", "pod-" + name)
                    .withOwnerReferences(controller("apps/v1", "StatefulSet", "sts-" + name))
                    .build())
            .withSpec(podSpec())
            .build());
  }

  private OwnerReference controller(String version, String kind, String uid) {
    return new OwnerReferenceBuilder()
        .withApiVersion(version)
        .withKind(kind)
        .withName(name)
        .withUid(uid)
        .withController(true)
        .build();
  }

  private ObjectMetaBuilder meta(String called, String uid) {
    return new ObjectMetaBuilder()
        .withNamespace(namespace)
        .withName(called)
        .withUid(uid)
        .withLabels(Map.of(Labels.NODE, name, Labels.ROLE, NodeMode.VALIDATOR.role()));
  }

  /** A pod that names the key, and mounts it if the node has it in a Secret. */
  PodSpec podSpec() {
    var pod =
        new PodSpecBuilder()
            .withNodeName("machine-1")
            .addNewContainer()
            .withName(Names.SEID)
            .withEnv(remote ? PodSigningKey.remote(KEY) : PodSigningKey.remote(KEY).subList(0, 1))
            .endContainer();
    return remote
        ? pod.build()
        : pod.addNewVolume()
            .withName("signing-key")
            .withNewSecret()
            .withSecretName(SECRET)
            .endSecret()
            .endVolume()
            .build();
  }
}
