package io.sei.operator.task;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeTaskKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.base.Unreadable;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.render.Labels;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads the nodes of tasks live: the volume that a submission went to must be known for certain.
 *
 * @param obstacles reason for which a fleet has not granted a restart; empty if it has yet to
 *     decide
 */
record Targets(KubeApi api, Function<SeiNodeDeployment, Optional<String>> obstacles) {

  /** The node of a task; empty if there is none of that name, or it is being deleted. */
  Optional<Target> of(SeiNodeTask task) {
    String namespace = task.getMetadata().getNamespace();
    return api.get(SeiNode.class, namespace, task.getSpec().target().nodeRef().name())
        .filter(node -> !node.isMarkedForDeletion())
        .map(node -> of(node, task.getSpec().kind()));
  }

  private Target of(SeiNode node, NodeTaskKind kind) {
    String namespace = node.getMetadata().getNamespace();
    Optional<Pod> pod =
        api.get(Pod.class, namespace, node.getMetadata().getName() + "-0")
            .filter(found -> !found.isMarkedForDeletion());
    return new Target(
        node,
        pod,
        pod.flatMap(Targets::claim).flatMap(claim -> uid(namespace, claim)),
        kind == NodeTaskKind.RESTART_SEID ? fleet(node) : Optional.empty());
  }

  private Optional<String> fleet(SeiNode node) {
    return Labels.of(node, Labels.NODE_DEPLOYMENT)
        .flatMap(name -> api.get(SeiNodeDeployment.class, node.getMetadata().getNamespace(), name))
        .map(fleet -> describe(fleet, obstacles.apply(fleet)));
  }

  /** Describes a fleet that has not granted a request. */
  static String describe(SeiNodeDeployment fleet, Optional<String> obstacle) {
    String name = fleet.getMetadata().getName();
    return Unreadable.isStub(fleet)
        ? "fleet %s cannot be read: %s".formatted(name, Unreadable.of(fleet))
        : "fleet %s has yet to grant it%s"
            .formatted(name, obstacle.map(why -> ": " + why).orElse(""));
  }

  private static Optional<String> claim(Pod pod) {
    return pod.getSpec().getVolumes().stream()
        .map(volume -> volume.getPersistentVolumeClaim())
        .filter(Objects::nonNull)
        .map(claim -> claim.getClaimName())
        .findFirst();
  }

  private Optional<String> uid(String namespace, String claim) {
    return api.get(PersistentVolumeClaim.class, namespace, claim)
        .map(found -> found.getMetadata().getUid());
  }
}
