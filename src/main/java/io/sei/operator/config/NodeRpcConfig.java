package io.sei.operator.config;

import java.net.URI;
import java.util.Optional;

/**
 * How the RPC of a node is reached, which is CometBFT's.
 *
 * @param urlTemplate URL with the placeholders {podIP}, {name} and {namespace}
 */
public record NodeRpcConfig(String urlTemplate) {

  /**
   * The base URL of one node's RPC, without a slash at its end; empty while the pod has no address
   * that the URL needs.
   *
   * @param podIp address of the pod, IPv4 or IPv6
   * @throws IllegalArgumentException if the names make no URL
   */
  public Optional<URI> urlOf(String namespace, String name, Optional<String> podIp) {
    return new UrlTemplate(urlTemplate).urlOf(namespace, name, podIp);
  }
}
