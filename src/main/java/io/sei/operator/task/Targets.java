package io.sei.operator.task;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeTaskKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.render.Labels;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Reads the nodes of tasks, live: which volume a submission went to must be no guess.
 *
 * @param exitsSoon whether a task is about to end a node's seid
 */
record Targets(KubeApi api, Predicate<SeiNode> exitsSoon) {

  /** The node of a task; empty if there is none of that name, or none any more. */
  Optional<Target> of(SeiNodeTask task) {
    String namespace = task.getMetadata().getNamespace();
    return api.get(SeiNode.class, namespace, task.getSpec().target().nodeRef().name())
        .filter(node -> !node.isMarkedForDeletion())
        .map(node -> of(node, task.getSpec().kind() == NodeTaskKind.RESTART_SEID));
  }

  private Target of(SeiNode node, boolean takesDown) {
    String namespace = node.getMetadata().getNamespace();
    Optional<Pod> pod =
        api.get(Pod.class, namespace, node.getMetadata().getName() + "-0")
            .filter(it -> !it.isMarkedForDeletion());
    return new Target(
        node,
        pod,
        pod.flatMap(Targets::claim).flatMap(it -> uid(namespace, it)),
        takesDown ? budget(node) : Optional.empty());
  }

  private Optional<FleetBudget> budget(SeiNode node) {
    String namespace = node.getMetadata().getNamespace();
    return Labels.of(node, Labels.NODE_DEPLOYMENT)
        .flatMap(name -> api.get(SeiNodeDeployment.class, namespace, name))
        .map(
            fleet -> {
              Map<String, String> its =
                  Map.of(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName());
              return FleetBudget.of(
                  fleet,
                  api.list(SeiNode.class, namespace, its),
                  api.list(Pod.class, namespace, its),
                  node,
                  exitsSoon);
            });
  }

  /** A node's pod has one. */
  private static Optional<String> claim(Pod pod) {
    return pod.getSpec().getVolumes().stream()
        .map(volume -> volume.getPersistentVolumeClaim())
        .filter(Objects::nonNull)
        .map(claim -> claim.getClaimName())
        .findFirst();
  }

  private Optional<String> uid(String namespace, String claim) {
    return api.get(PersistentVolumeClaim.class, namespace, claim)
        .map(it -> it.getMetadata().getUid());
  }
}
