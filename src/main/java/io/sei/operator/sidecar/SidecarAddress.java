package io.sei.operator.sidecar;

import java.util.Objects;
import java.util.Optional;

/**
 * The sidecar of one node.
 *
 * @param namespace namespace of the SeiNode
 * @param nodeName its name
 * @param podIp address of the pod that the sidecar runs in, if that pod has one yet
 */
public record SidecarAddress(String namespace, String nodeName, Optional<String> podIp) {
  /** All parts are needed. */
  public SidecarAddress {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(nodeName, "nodeName");
    Objects.requireNonNull(podIp, "podIp");
  }

  @Override
  public String toString() {
    return namespace + "/" + nodeName;
  }
}
