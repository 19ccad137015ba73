package io.sei.operator.testkit.samples;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import java.util.Map;

/** Nodes and fleets with what they cannot do without. */
public final class Samples {

  private Samples() {}

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

  /** A full node with this image. */
  public static SeiNodeSpec fullNode(String image) {
    return SeiNodeSpecBuilder.builder()
        .chainId("atlantic-2")
        .image(image)
        .fullNode(new FullNode(null, null))
        .build();
  }

  /** This many full nodes with this image. */
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

  /** The StatefulSet of somebody else, without replicas: its controller has nothing to do. */
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
