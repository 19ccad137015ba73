package io.sei.operator.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.stream.IntStream;

/** StatefulSets of one replica under RollingUpdate, with nobody to help them. */
final class PlainStatefulSets {

  private final KubernetesClient client;
  private final String namespace;

  PlainStatefulSets(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  void create(int count, String image) {
    IntStream.range(0, count)
        .parallel()
        .forEach(
            i ->
                client
                    .resource(
                        new StatefulSetBuilder()
                            .withNewMetadata()
                            .withName("p" + i)
                            .withNamespace(namespace)
                            .endMetadata()
                            .withNewSpec()
                            .withReplicas(1)
                            .withServiceName("p" + i)
                            .withNewSelector()
                            .addToMatchLabels("plain", "p" + i)
                            .endSelector()
                            .withNewTemplate()
                            .withNewMetadata()
                            .addToLabels("plain", "p" + i)
                            .endMetadata()
                            .withNewSpec()
                            .addNewContainer()
                            .withName("main")
                            .withImage(image)
                            .endContainer()
                            .endSpec()
                            .endTemplate()
                            .endSpec()
                            .build())
                    .create());
  }

  void setImage(int count, String image) {
    String patch =
        "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"%s\"}]}}}}"
            .formatted(image);
    IntStream.range(0, count)
        .parallel()
        .forEach(
            i ->
                client
                    .apps()
                    .statefulSets()
                    .inNamespace(namespace)
                    .withName("p" + i)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  boolean areReadyOn(int count, String image) {
    return client.pods().inNamespace(namespace).withLabel("plain").list().getItems().stream()
            .filter(pod -> !pod.isMarkedForDeletion())
            .filter(pod -> image.equals(pod.getSpec().getContainers().get(0).getImage()))
            .filter(PlainStatefulSets::isReady)
            .count()
        == count;
  }

  void deleteAll() {
    client.apps().statefulSets().inNamespace(namespace).delete();
  }

  boolean areGone() {
    return client.pods().inNamespace(namespace).list().getItems().isEmpty();
  }

  private static boolean isReady(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(it -> it.getType().equals("Ready") && it.getStatus().equals("True"));
  }
}
