package io.sei.operator.task;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.base.Unreadable;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.disruption.Availability;
import io.sei.operator.disruption.Disruption;
import io.sei.operator.disruption.NodeState;
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
 * @param availability of its nodes; the one that is to be taken down counts as Ready
 */
record FleetBudget(
    String fleet,
    Optional<String> busy,
    int maxUnavailable,
    int missing,
    Availability availability) {

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
    String stopped =
        Optional.ofNullable(fleet.getStatus())
            .flatMap(SeiNodeDeploymentStatus::runningSnapshot)
            .filter(FleetSnapshots.Run::needsNode)
            .map(FleetSnapshots.Run::node)
            .orElse(null);
    String name = asking.getMetadata().getName();
    Availability availability =
        Availability.of(
            Disruption.TASK,
            nodes,
            node -> node.getMetadata().getName(),
            node -> {
              boolean isAsking = node.getMetadata().getName().equals(name);
              boolean inFlight =
                  node.getMetadata().getName().equals(awaited)
                      || Annotations.awaitsRestartOfSeid(node)
                      || exitsSoon.test(node)
                      || node.getMetadata().getName().equals(stopped)
                      || isToSwitchEarly(node);
              return isAsking
                  ? NodeState.READY
                  : state(node, inFlight, ready.contains(Names.pod(node)));
            });
    return new FleetBudget(
        fleet.getMetadata().getName(),
        busy(fleet),
        fleet.getSpec() == null ? 0 : fleet.getSpec().maxUnavailable(),
        fleet.getSpec() == null ? 0 : Math.max(0, fleet.getSpec().replicas() - nodes.size()),
        availability);
  }

  private static NodeState state(SeiNode node, boolean inFlight, boolean isPodReady) {
    if (Unreadable.isStub(node)) {
      return NodeState.DOWN;
    }
    if (Boolean.TRUE.equals(node.getSpec().paused()) || node.getSpec().holding().isPresent()) {
      return NodeState.SUSPENDED;
    }
    if (node.isMarkedForDeletion()) {
      return NodeState.TERMINATING;
    }
    if (inFlight) {
      return NodeState.IN_FLIGHT;
    }
    return isPodReady ? NodeState.READY : NodeState.DOWN;
  }

  /** The fleet has admitted it to an upgrade before its height, and its pod may end any moment. */
  private static boolean isToSwitchEarly(SeiNode node) {
    List<UpgradeStatus> records =
        node.getStatus() == null || node.getStatus().upgrades() == null
            ? List.of()
            : node.getStatus().upgrades();
    return Stream.ofNullable(node.getSpec().upgrades())
        .flatMap(List::stream)
        .filter(Upgrade::runsEarly)
        .anyMatch(
            entry ->
                records.stream()
                    .noneMatch(record -> record.name().equals(entry.name()) && record.isApplied()));
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
    int used = missing + availability.used();
    if (used >= maxUnavailable) {
      List<String> down = availability.unavailable();
      return Optional.of(
          "fleet %s has %d of at most %d nodes down (maxUnavailable): %s"
              .formatted(
                  fleet,
                  used,
                  maxUnavailable,
                  down.isEmpty() ? "not all are made" : String.join(", ", down)));
    }
    return availability.room(maxUnavailable - missing) == 0
        ? Optional.of("fleet %s has no other node that is Ready".formatted(fleet))
        : Optional.empty();
  }
}
