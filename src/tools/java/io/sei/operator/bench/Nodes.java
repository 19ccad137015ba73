package io.sei.operator.bench;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.testkit.samples.Samples;
import java.util.stream.IntStream;

/**
 * SeiNodes of their own, without a deployment.
 *
 * @param namespace where they are; only those of {@link World#NAMESPACE} are watched
 * @param prefix of their names, before a number
 * @param inPlace whether they ask for updates in place
 */
record Nodes(World world, String namespace, String prefix, boolean inPlace) {

  /** Watches the nodes. */
  Nodes(World world, boolean inPlace) {
    this(world, World.NAMESPACE, "n", inPlace);
  }

  /** Nodes that say nothing of how they are updated. */
  Nodes(World world) {
    this(world, false);
  }

  void create(int from, int to, String image) {
    IntStream.range(from, to).parallel().forEach(i -> create(i, image));
  }

  /** Creates nodes and waits until they are settled. */
  void start(int count, String image) {
    create(0, count, image);
    Timed.until(() -> settledOn(image) == count);
  }

  private void create(int index, String image) {
    UpdatePolicy policy =
        inPlace ? new UpdatePolicy(UpdatePolicy.OfPod.IN_PLACE_IF_POSSIBLE, null) : null;
    SeiNode node =
        Samples.node(namespace, name(index), Samples.fullNode(image).withUpdatePolicy(policy));
    world.client().resource(node).create();
  }

  String name(int index) {
    return prefix + index;
  }

  void setImageOfAll(int count, String image) {
    IntStream.range(0, count).parallel().forEach(i -> setImage(i, image));
  }

  void setImage(int index, String image) {
    world
        .client()
        .resources(SeiNode.class)
        .inNamespace(namespace)
        .withName(name(index))
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"image\":\"%s\"}}".formatted(image));
  }

  /** Number of nodes that run an image, are Ready and have no plan left. */
  long settledOn(String image) {
    return world.nodes().stream().filter(node -> isSettled(node.getStatus(), image)).count();
  }

  private static boolean isSettled(SeiNodeStatus status, String image) {
    return status != null
        && image.equals(status.currentImage())
        && status.isTrue(NodeConditionType.READY)
        && status.isTrue(NodeConditionType.UP_TO_DATE);
  }

  /**
   * Deletes all and waits until nothing of them is left. One request each: the deletion of a
   * collection of a thousand takes longer than a request may.
   */
  void deleteAll() {
    world.nodes().parallelStream().forEach(node -> world.client().resource(node).delete());
    Timed.until(this::areGone);
  }

  boolean areGone() {
    return world.nodes().isEmpty() && world.pods().isEmpty();
  }
}
