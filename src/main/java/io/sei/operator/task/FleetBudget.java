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
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.util.ArrayList;
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
 * @param serving number of its nodes that are Ready; the one that is to be taken down is
 * @param down names of those that are not, and that the user does not keep out of service
 */
record FleetBudget(
    String fleet,
    Optional<String> busy,
    int maxUnavailable,
    int missing,
    int nodes,
    int serving,
    List<String> down) {

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
    int serving = 0;
    var down = new ArrayList<String>();
    for (SeiNode node : nodes) {
      boolean inFlight =
          node.getMetadata().getName().equals(awaited)
              || Annotations.awaitsRestartOfSeid(node)
              || exitsSoon.test(node)
              || node.getMetadata().getName().equals(stopped)
              || isToSwitchEarly(node);
      if (node.getMetadata().getName().equals(asking.getMetadata().getName())) {
        serving++;
      } else if (isUnavailable(node, inFlight, ready.contains(Names.pod(node)))) {
        down.add(node.getMetadata().getName());
      } else if (!isSuspended(node)) {
        serving++;
      }
    }
    return new FleetBudget(
        fleet.getMetadata().getName(),
        busy(fleet),
        fleet.getSpec() == null ? 0 : fleet.getSpec().maxUnavailable(),
        fleet.getSpec() == null ? 0 : Math.max(0, fleet.getSpec().replicas() - nodes.size()),
        nodes.size(),
        serving,
        down);
  }

  private static boolean isUnavailable(SeiNode node, boolean inFlight, boolean isPodReady) {
    return Unreadable.isStub(node)
        || !isSuspended(node) && (node.isMarkedForDeletion() || inFlight || !isPodReady);
  }

  private static boolean isSuspended(SeiNode node) {
    return !Unreadable.isStub(node)
        && (Boolean.TRUE.equals(node.getSpec().paused()) || node.getSpec().holding().isPresent());
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
    int used = missing + down.size();
    if (used >= maxUnavailable) {
      return Optional.of(
          "fleet %s has %d of at most %d nodes down (maxUnavailable): %s"
              .formatted(
                  fleet,
                  used,
                  maxUnavailable,
                  down.isEmpty() ? "not all are made" : String.join(", ", down)));
    }
    return nodes > 1 && serving < 2
        ? Optional.of("fleet %s has no other node that is Ready".formatted(fleet))
        : Optional.empty();
  }
}
