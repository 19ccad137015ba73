package io.sei.operator.task;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.Unreadable;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: whether a fleet can do without one node more.
 *
 * @param busy why it takes its nodes down itself at present
 * @param missing nodes that it has not got
 * @param down other nodes of it that are down, or are about to be
 */
record FleetBudget(
    String fleet, Optional<String> busy, int maxUnavailable, int missing, List<String> down) {

  FleetBudget {
    down = List.copyOf(down);
  }

  /**
   * The budget for one node of a fleet.
   *
   * @param nodes of the fleet, that one included
   * @param pods of the fleet, as they are now
   * @param exitsSoon whether a task is about to end a node's seid
   */
  static FleetBudget of(
      SeiNodeDeployment fleet,
      List<SeiNode> nodes,
      List<Pod> pods,
      SeiNode asking,
      Predicate<SeiNode> exitsSoon) {
    Set<String> ready =
        pods.stream()
            .filter(pod -> PodFacts.isReady(pod) && !PodFacts.isTerminating(pod))
            .map(pod -> pod.getMetadata().getName())
            .collect(Collectors.toSet());
    String awaited =
        fleet.getStatus() == null || fleet.getStatus().configuration() == null
            ? null
            : fleet.getStatus().configuration().awaited();
    String name = asking.getMetadata().getName();
    Stream<String> down =
        nodes.stream()
            .filter(
                node ->
                    Unreadable.isStub(node)
                        || !ready.contains(Names.pod(node))
                        || node.isMarkedForDeletion()
                        || node.getMetadata().getName().equals(awaited)
                        || Annotations.awaitsRestartOfSeid(node)
                        || exitsSoon.test(node))
            .map(node -> node.getMetadata().getName());
    return new FleetBudget(
        fleet.getMetadata().getName(),
        busy(fleet),
        fleet.getSpec() == null ? 0 : fleet.getSpec().maxUnavailable(),
        fleet.getSpec() == null ? 0 : Math.max(0, fleet.getSpec().replicas() - nodes.size()),
        down.filter(it -> !it.equals(name)).sorted().toList());
  }

  private static Optional<String> busy(SeiNodeDeployment fleet) {
    if (Unreadable.isStub(fleet)) {
      return Optional.of("cannot be read: " + Unreadable.of(fleet));
    }
    return fleet.getStatus() == null || fleet.getStatus().rollout() == null
        ? Optional.empty()
        : Optional.of("rolls out");
  }

  /**
   * Why a node of it may not be taken down.
   *
   * @param serves whether that node is Ready: else nothing is lost by it
   */
  Optional<String> obstacle(boolean serves) {
    if (!serves) {
      return Optional.empty();
    }
    if (busy.isPresent()) {
      return Optional.of("fleet %s %s".formatted(fleet, busy.get()));
    }
    int used = missing + down.size();
    return used < maxUnavailable
        ? Optional.empty()
        : Optional.of(
            "fleet %s has %d of at most %d nodes down (maxUnavailable): %s"
                .formatted(
                    fleet,
                    used,
                    maxUnavailable,
                    down.isEmpty() ? "not all are made" : String.join(", ", down)));
  }
}
