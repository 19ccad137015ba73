package io.sei.operator.sidecar;

import java.util.Objects;

/**
 * The sidecar of one node.
 *
 * @param namespace namespace of the SeiNode
 * @param nodeName its name
 */
public record SidecarAddress(String namespace, String nodeName) {
  /** Both parts are needed. */
  public SidecarAddress {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(nodeName, "nodeName");
  }

  @Override
  public String toString() {
    return namespace + "/" + nodeName;
  }
}
