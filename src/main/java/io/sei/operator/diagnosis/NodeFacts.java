package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.Node;

/**
 * State of the Kubernetes node under a pod.
 *
 * @param name name of the node
 */
public record NodeFacts(String name, State state) {

  /** State of a Kubernetes node. */
  public enum State {
    /** Its kubelet reports, and reports that it is ready. */
    READY,
    /** Its kubelet is ready, and the Node is unschedulable. */
    CORDONED,
    /** Its kubelet does not report, or not that it is ready. */
    SILENT,
    /** The API server has no such Node. */
    GONE,
    /** The operator has no right to know. */
    UNREADABLE
  }

  /** Facts of a Node; null means that there is none of that name. */
  public static NodeFacts of(String name, Node node) {
    if (node == null) {
      return new NodeFacts(name, State.GONE);
    }
    boolean ready =
        node.getStatus() != null
            && node.getStatus().getConditions().stream()
                .anyMatch(
                    condition ->
                        "Ready".equals(condition.getType())
                            && "True".equals(condition.getStatus()));
    if (!ready) {
      return new NodeFacts(name, State.SILENT);
    }
    boolean cordoned =
        node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    return new NodeFacts(name, cordoned ? State.CORDONED : State.READY);
  }

  /** A Node that the operator may not read. */
  public static NodeFacts unreadable(String name) {
    return new NodeFacts(name, State.UNREADABLE);
  }

  /** Returns whether what the node last said about its pods can no longer be trusted. */
  public boolean isLost() {
    return state == State.GONE || state == State.SILENT;
  }
}
