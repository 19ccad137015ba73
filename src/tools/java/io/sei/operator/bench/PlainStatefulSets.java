package io.sei.operator.bench;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Names;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * StatefulSets of one replica under RollingUpdate, without an operator: the pod template and the
 * Service of a node, without the labels by which the operator and its sidecar are involved.
 */
record PlainStatefulSets(World world) {

  private static final String LABEL = "plain";

  /**
   * Name of the container; by another name than seid's the simulated kubelet does not wait for a
   * sidecar.
   */
  private static final String MAIN = "main";

  /** Makes this many of a node that is there, and waits until they are Ready. */
  void start(String node, int count, String image) {
    StatefulSet statefulSet =
        world.client().apps().statefulSets().inNamespace(World.NAMESPACE).withName(node).require();
    Service service =
        world.client().services().inNamespace(World.NAMESPACE).withName(node).require();
    IntStream.range(0, count)
        .parallel()
        .forEach(
            i -> {
              world.client().resource(plain(service, "p" + i)).create();
              world.client().resource(plain(statefulSet, "p" + i)).create();
            });
    setImage(count, image);
    Timed.until(() -> areReadyOn(count, image));
  }

  private static ObjectMeta metadata(String name) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(World.NAMESPACE)
        .addToLabels(LABEL, name)
        .build();
  }

  private static Service plain(Service service, String name) {
    return new ServiceBuilder(service)
        .withMetadata(metadata(name))
        .editSpec()
        .withClusterIP(service.getSpec().getClusterIP().equals("None") ? "None" : null)
        .withClusterIPs()
        .withSelector(Map.of(LABEL, name))
        .endSpec()
        .withStatus(null)
        .build();
  }

  private static StatefulSet plain(StatefulSet statefulSet, String name) {
    return new StatefulSetBuilder(statefulSet)
        .withMetadata(metadata(name))
        .editSpec()
        .withServiceName(name)
        .withNewSelector()
        .addToMatchLabels(LABEL, name)
        .endSelector()
        .withNewUpdateStrategy()
        .withType("RollingUpdate")
        .endUpdateStrategy()
        .editTemplate()
        .editMetadata()
        .withLabels(Map.of(LABEL, name))
        .endMetadata()
        .editSpec()
        .editMatchingContainer(container -> container.getName().equals(Names.SEID))
        .withName(MAIN)
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .withStatus(null)
        .build();
  }

  void setImage(int count, String image) {
    String patch =
        "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"%s\",\"image\":\"%s\"}]}}}}"
            .formatted(MAIN, image);
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
                    .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch));
  }

  boolean areReadyOn(int count, String image) {
    return world.pods().stream()
            .filter(PlainStatefulSets::isPlain)
            .filter(pod -> !pod.isMarkedForDeletion())
            .filter(pod -> PodFacts.image(pod, MAIN).filter(image::equals).isPresent())
            .filter(PodFacts::isReady)
            .count()
        == count;
  }

  private static boolean isPlain(HasMetadata object) {
    return object.getMetadata().getLabels().containsKey(LABEL);
  }

  /** Deletes all and waits until their pods are gone. */
  void deleteAll() {
    var client = world.client();
    client.apps().statefulSets().inNamespace(World.NAMESPACE).withLabel(LABEL).delete();
    client.services().inNamespace(World.NAMESPACE).withLabel(LABEL).delete();
    Timed.until(() -> world.pods().stream().noneMatch(PlainStatefulSets::isPlain));
  }
}
