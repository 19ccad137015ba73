package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.Node;

/**
 * What is known of the Kubernetes node under a pod.
 *
 * @param name name of the node
 * @param exists whether the API server has the Node
 * @param ready whether its kubelet reports, and reports that it is ready
 */
public record NodeFacts(String name, boolean exists, boolean ready) {

  /** Facts of a Node; null means that there is none of that name. */
  public static NodeFacts of(String name, Node node) {
    boolean ready =
        node != null
            && node.getStatus() != null
            && node.getStatus().getConditions().stream()
                .anyMatch(
                    condition ->
                        "Ready".equals(condition.getType())
                            && "True".equals(condition.getStatus()));
    return new NodeFacts(name, node != null, ready);
  }

  /** Whether what the node last said about its pods can no longer be trusted. */
  public boolean isLost() {
    return !exists || !ready;
  }
}
