package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.Optional;
import java.util.Set;

/**
 * State of the Kubernetes node under a pod.
 *
 * @param name name of the node
 * @param departure what announces that its pods are about to be moved, in words that follow its
 *     name; null for none
 */
public record NodeFacts(String name, State state, String departure) {

  /** Conditions of Kubernetes 1.37 and newer; any controller may set them before that. */
  private static final Set<String> LIFECYCLE =
      Set.of(
          "DrainInProgress",
          "Drained",
          "MaintenancePlanned",
          "MaintenanceInProgress",
          "GracefulNodeShutdownInProgress");

  /** Taints of Karpenter, in both of its forms, and of the cluster autoscaler. */
  private static final Set<String> DEPARTING =
      Set.of("karpenter.sh/disrupted", "karpenter.sh/disruption", "ToBeDeletedByClusterAutoscaler");

  /** State of a Kubernetes node. */
  public enum State {
    /** Its kubelet reports, and reports that it is ready. */
    READY,
    /** Its kubelet is ready, and it is cordoned, or announces a drain or maintenance. */
    LEAVING,
    /** Its kubelet does not report, or not that it is ready. */
    SILENT,
    /** The API server has no such Node. */
    GONE,
    /** The operator has no right to know. */
    UNREADABLE
  }

  /** Facts of a Kubernetes node that announces nothing. */
  public NodeFacts(String name, State state) {
    this(name, state, null);
  }

  /** Facts of a Node; null means that there is none of that name. */
  public static NodeFacts of(String name, Node node) {
    if (node == null) {
      return new NodeFacts(name, State.GONE);
    }
    boolean ready =
        node.getStatus() != null
            && node.getStatus().getConditions().stream()
                .anyMatch(condition -> isTrue(condition, "Ready"));
    if (!ready) {
      return new NodeFacts(name, State.SILENT);
    }
    return departure(node)
        .map(words -> new NodeFacts(name, State.LEAVING, words))
        .orElseGet(() -> new NodeFacts(name, State.READY));
  }

  private static Optional<String> departure(Node node) {
    Optional<String> announced =
        node.getStatus().getConditions().stream()
            .filter(condition -> LIFECYCLE.contains(condition.getType()))
            .filter(condition -> isTrue(condition, condition.getType()))
            .map(condition -> "has the condition " + condition.getType())
            .findFirst();
    if (announced.isPresent() || node.getSpec() == null) {
      return announced;
    }
    Optional<String> tainted =
        node.getSpec().getTaints().stream()
            .map(Taint::getKey)
            .filter(DEPARTING::contains)
            .map(key -> "has the taint " + key)
            .findFirst();
    boolean isCordoned = Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    return tainted.or(() -> isCordoned ? Optional.of("is cordoned") : Optional.empty());
  }

  private static boolean isTrue(NodeCondition condition, String type) {
    return type.equals(condition.getType()) && "True".equals(condition.getStatus());
  }

  /** A Node that the operator may not read. */
  public static NodeFacts unreadable(String name) {
    return new NodeFacts(name, State.UNREADABLE);
  }

  /** Returns whether what the node last said about its pods can no longer be trusted. */
  public boolean isLost() {
    return state == State.GONE || state == State.SILENT;
  }

  /** Announcement that its pods are about to be moved; empty if there is none. */
  public Optional<String> leaving() {
    return state == State.LEAVING
        ? Optional.of("Kubernetes node %s %s".formatted(name, departure))
        : Optional.empty();
  }
}
