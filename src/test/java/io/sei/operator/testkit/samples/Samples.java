package io.sei.operator.testkit.samples;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.base.Unreadable;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Nodes and fleets with what they cannot do without. */
public final class Samples {

  private Samples() {}

  /** An object as YAML has it, in which {@code %s} stands for what follows. */
  public static <T> T yaml(Class<T> type, String yaml, Object... values) {
    // Without the dashes a text that begins with a brace would be taken for JSON.
    return Serialization.unmarshal("---\n" + yaml.formatted(values), type);
  }

  public static SeiNode node(String namespace, String name, SeiNodeSpec spec) {
    var node = new SeiNode();
    node.getMetadata().setNamespace(namespace);
    node.getMetadata().setName(name);
    node.setSpec(spec);
    return node;
  }

  public static SeiNodeDeployment fleet(String namespace, String name, SeiNodeDeploymentSpec spec) {
    var fleet = new SeiNodeDeployment();
    fleet.getMetadata().setNamespace(namespace);
    fleet.getMetadata().setName(name);
    fleet.setSpec(spec);
    return fleet;
  }

  /** Makes an object one of which these fields could not be read. */
  public static <T extends HasMetadata> T unreadable(T object, String... fields) {
    new Unreadable(
            Stream.of(fields).map(path -> new Unreadable.Field(path, "is too large")).toList())
        .recordOn(object);
    return object;
  }

  /** Every Secret that a validator refers to. */
  public static List<Secret> keysOf(Validator validator) {
    Secret signingKey = ThrowAwayKeys.signingKey(validator.signingKey().secret().secretName());
    Secret nodeKey = ThrowAwayKeys.nodeKey(validator.nodeKey().secret().secretName());
    var keyring = validator.operatorKeyring();
    if (keyring == null) {
      return List.of(signingKey, nodeKey);
    }
    return List.of(
        signingKey,
        nodeKey,
        ThrowAwayKeys.keyring(keyring.secret().secretName()),
        ThrowAwayKeys.passphrase(keyring.secret().passphraseSecretRef().secretName()));
  }

  /** A full node with this image. */
  public static SeiNodeSpec fullNode(String image) {
    return SeiNodeSpecBuilder.builder()
        .chainId("atlantic-2")
        .image(image)
        .fullNode(new FullNode(null, null))
        .build();
  }

  /** Returns this many full nodes with this image. */
  public static SeiNodeDeploymentSpec fullNodes(int replicas, String image) {
    return SeiNodeDeploymentSpecBuilder.builder()
        .replicas(replicas)
        .template(new NodeTemplate(null, fullNode(image)))
        .build();
  }

  /** A volume that outlives its node. */
  public static DataVolume retained() {
    return new DataVolume(null, DataVolume.RetentionPolicy.RETAIN, null, null, null);
  }

  /** The volume of a claim that is there. */
  public static DataVolume imported(String claim) {
    return new DataVolume(new DataVolume.Import(claim), null, null, null, null);
  }

  /** A claim of 10 GiB without an owner. */
  public static PersistentVolumeClaim claim(String namespace, String name) {
    return yaml(
        PersistentVolumeClaim.class,
        """
        metadata: {name: %s, namespace: %s}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}
        """,
        name,
        namespace);
  }

  /** A StatefulSet of another owner, without replicas: its controller has nothing to do. */
  public static StatefulSet database(ObjectMeta metadata, Map<String, String> selector) {
    return new StatefulSetBuilder()
        .withMetadata(metadata)
        .withNewSpec()
        .withReplicas(0)
        .withServiceName("database")
        .withNewSelector()
        .withMatchLabels(selector)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(selector)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("database")
        .withImage("database")
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }
}
