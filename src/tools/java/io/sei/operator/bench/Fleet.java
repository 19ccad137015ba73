package io.sei.operator.bench;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.testkit.samples.Samples;

/**
 * One deployment of nodes.
 *
 * @param chainId the chain of its nodes
 */
record Fleet(World world, String name, String chainId) {

  /** The only fleet of a world. */
  Fleet(World world) {
    this(world, "fleet", "atlantic-2");
  }

  void create(int replicas, String image, String maxUnavailable) {
    var limit =
        maxUnavailable.endsWith("%")
            ? new IntOrString(maxUnavailable)
            : new IntOrString(Integer.parseInt(maxUnavailable));
    SeiNodeDeployment fleet =
        Samples.fleet(
            World.NAMESPACE,
            name,
            SeiNodeDeploymentSpecBuilder.builder()
                .replicas(replicas)
                .template(new NodeTemplate(null, Samples.fullNode(image).withChainId(chainId)))
                .updateStrategy(
                    new UpdateStrategy(
                        null, new UpdateStrategy.InPlace(limit, null, 0, null, null), null))
                .build());
    world.client().resource(fleet).create();
  }

  void setImage(String image) {
    world
        .client()
        .resources(SeiNodeDeployment.class)
        .inNamespace(World.NAMESPACE)
        .withName(name)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"template\":{\"spec\":{\"image\":\"%s\"}}}}".formatted(image));
  }

  boolean isReadyOn(int replicas, String image) {
    return world.fleets().stream().anyMatch(fleet -> isReadyOn(fleet.getStatus(), replicas, image));
  }

  static boolean isReadyOn(SeiNodeDeploymentStatus status, int replicas, String image) {
    return status != null
        && status.rollout() == null
        && status.readyReplicas() == replicas
        && status.nodes().stream().allMatch(node -> image.equals(node.currentImage()))
        && status.isTrue(FleetConditionType.UP_TO_DATE);
  }

  /** Deletes it and waits until nothing of it is left. */
  void delete() {
    world.client().resources(SeiNodeDeployment.class).inNamespace(World.NAMESPACE).delete();
    Timed.until(() -> world.fleets().isEmpty() && new Nodes(world).areGone());
  }
}
