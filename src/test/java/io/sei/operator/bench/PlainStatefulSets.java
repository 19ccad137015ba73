package io.sei.operator.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.render.Labels;
import java.util.stream.IntStream;

/** StatefulSets of one replica under RollingUpdate, with nobody to help them. */
record PlainStatefulSets(World world) {

  void create(int count, String image) {
    IntStream.range(0, count)
        .parallel()
        .forEach(
            i ->
                world
                    .client()
                    .resource(
                        new StatefulSetBuilder()
                            .withNewMetadata()
                            .withName("p" + i)
                            .withNamespace(World.NAMESPACE)
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
                world
                    .client()
                    .apps()
                    .statefulSets()
                    .inNamespace(World.NAMESPACE)
                    .withName("p" + i)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  boolean areReadyOn(int count, String image) {
    return world.pods().stream()
            .filter(pod -> pod.getMetadata().getLabels().containsKey("plain"))
            .filter(pod -> !pod.isMarkedForDeletion())
            .filter(pod -> image.equals(pod.getSpec().getContainers().get(0).getImage()))
            .filter(PlainStatefulSets::isReady)
            .count()
        == count;
  }

  /** Deletes all and waits until their pods are gone. */
  void deleteAll() {
    world
        .client()
        .apps()
        .statefulSets()
        .inNamespace(World.NAMESPACE)
        .withoutLabel(Labels.NODE)
        .delete();
    Timed.until(
        () ->
            world.pods().stream()
                .noneMatch(pod -> pod.getMetadata().getLabels().containsKey("plain")));
  }

  private static boolean isReady(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(it -> it.getType().equals("Ready") && it.getStatus().equals("True"));
  }
}
