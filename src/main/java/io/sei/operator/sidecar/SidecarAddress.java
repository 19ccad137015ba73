package io.sei.operator.sidecar;

import java.util.Objects;
import java.util.Optional;

/**
 * The sidecar of one node.
 *
 * @param namespace namespace of the SeiNode
 * @param nodeName its name
 * @param podUid the pod that the sidecar runs in; empty if there is none
 * @param podIp address of that pod, if it has one yet
 */
public record SidecarAddress(
    String namespace, String nodeName, Optional<String> podUid, Optional<String> podIp) {
  /** All parts are needed. */
  public SidecarAddress {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(nodeName, "nodeName");
    Objects.requireNonNull(podUid, "podUid");
    Objects.requireNonNull(podIp, "podIp");
  }

  @Override
  public String toString() {
    return namespace + "/" + nodeName;
  }
}
