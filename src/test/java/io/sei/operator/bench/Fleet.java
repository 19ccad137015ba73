package io.sei.operator.bench;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.UpdateStrategy;

/** One deployment of nodes. */
final class Fleet {

  private static final String NAME = "fleet";

  private final KubernetesClient client;
  private final String namespace;

  Fleet(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  void create(int replicas, String image, String maxUnavailable) {
    var limit =
        maxUnavailable.endsWith("%")
            ? new IntOrString(maxUnavailable)
            : new IntOrString(Integer.parseInt(maxUnavailable));
    var fleet = new SeiNodeDeployment();
    fleet.getMetadata().setName(NAME);
    fleet.getMetadata().setNamespace(namespace);
    fleet.setSpec(
        SeiNodeDeploymentSpecBuilder.builder()
            .replicas(replicas)
            .template(
                new NodeTemplate(
                    null,
                    SeiNodeSpecBuilder.builder()
                        .chainId("atlantic-2")
                        .image(image)
                        .fullNode(new FullNode(null, null))
                        .build()))
            .updateStrategy(
                new UpdateStrategy(
                    null, new UpdateStrategy.InPlace(limit, null, null, null, null), null))
            .build());
    client.resource(fleet).create();
  }

  void setImage(String image) {
    client
        .resources(SeiNodeDeployment.class)
        .inNamespace(namespace)
        .withName(NAME)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"template\":{\"spec\":{\"image\":\"%s\"}}}}".formatted(image));
  }

  boolean isReadyOn(int replicas, String image) {
    SeiNodeDeployment fleet =
        client.resources(SeiNodeDeployment.class).inNamespace(namespace).withName(NAME).get();
    var status = fleet.getStatus();
    return status.rollout() == null
        && status.readyReplicas() == replicas
        && status.nodes().stream().allMatch(node -> image.equals(node.currentImage()))
        && Conditions.isTrue(status.conditions(), "UpToDate");
  }

  void delete() {
    client.resources(SeiNodeDeployment.class).inNamespace(namespace).delete();
  }
}
