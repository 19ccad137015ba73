package io.sei.operator.sidecar;

import java.util.Objects;
import java.util.Optional;

/**
 * The sidecar of one node, as it is while one plan runs. What it answers is not true of another
 * pod, container or plan.
 *
 * @param namespace namespace of the SeiNode
 * @param nodeName its name
 * @param podUid the pod that the sidecar runs in; empty if there is none
 * @param podIp address of that pod, if it has one yet
 * @param containerId its container; empty if it has none yet
 * @param planId the plan, or the SeiNodeTask, for which it is asked; empty for none
 */
public record SidecarAddress(
    String namespace,
    String nodeName,
    Optional<String> podUid,
    Optional<String> podIp,
    Optional<String> containerId,
    Optional<String> planId) {
  /** All parts are needed. */
  public SidecarAddress {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(nodeName, "nodeName");
    Objects.requireNonNull(podUid, "podUid");
    Objects.requireNonNull(podIp, "podIp");
    Objects.requireNonNull(containerId, "containerId");
    Objects.requireNonNull(planId, "planId");
  }

  /** The sidecar of a pod over all restarts of its container. */
  public SidecarAddress(
      String namespace, String nodeName, Optional<String> podUid, Optional<String> podIp) {
    this(namespace, nodeName, podUid, podIp, Optional.empty(), Optional.empty());
  }

  /** Returns whether both addresses are of the same pod. */
  boolean isOfPodOf(SidecarAddress other) {
    return podUid.equals(other.podUid) && podIp.equals(other.podIp);
  }

  @Override
  public String toString() {
    return namespace + "/" + nodeName;
  }
}
