package io.sei.operator.bench;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import java.util.stream.IntStream;

/** SeiNodes of their own, without a deployment. */
final class Nodes {

  private final KubernetesClient client;
  private final String namespace;

  Nodes(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  void create(int count, String image) {
    IntStream.range(0, count)
        .parallel()
        .forEach(
            i -> {
              var node = new SeiNode();
              node.getMetadata().setName("n" + i);
              node.getMetadata().setNamespace(namespace);
              node.setSpec(
                  SeiNodeSpecBuilder.builder()
                      .chainId("atlantic-2")
                      .image(image)
                      .fullNode(new FullNode(null, null))
                      .build());
              client.resource(node).create();
            });
  }

  void setImage(int count, String image) {
    String patch = "{\"spec\":{\"image\":\"%s\"}}".formatted(image);
    IntStream.range(0, count)
        .parallel()
        .forEach(
            i ->
                client
                    .resources(SeiNode.class)
                    .inNamespace(namespace)
                    .withName("n" + i)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  boolean areReadyOn(int count, String image) {
    return client.resources(SeiNode.class).inNamespace(namespace).list().getItems().stream()
            .filter(node -> node.getStatus() != null)
            .filter(node -> image.equals(node.getStatus().currentImage()))
            .filter(node -> Conditions.isTrue(node.getStatus().conditions(), "Ready"))
            .filter(node -> Conditions.isTrue(node.getStatus().conditions(), "UpToDate"))
            .count()
        == count;
  }

  void deleteAll() {
    client.resources(SeiNode.class).inNamespace(namespace).delete();
  }

  boolean areGone() {
    return client.pods().inNamespace(namespace).list().getItems().isEmpty()
        && client.apps().statefulSets().inNamespace(namespace).list().getItems().isEmpty()
        && client.resources(SeiNode.class).inNamespace(namespace).list().getItems().isEmpty();
  }
}
