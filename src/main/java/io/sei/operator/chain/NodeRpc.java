package io.sei.operator.chain;

import java.util.Optional;

/**
 * The RPC of one node.
 *
 * @param namespace namespace of the SeiNode
 * @param nodeName its name
 * @param podIp address of its pod, if it has one
 */
public record NodeRpc(String namespace, String nodeName, Optional<String> podIp) {

  @Override
  public String toString() {
    return namespace + "/" + nodeName;
  }
}
