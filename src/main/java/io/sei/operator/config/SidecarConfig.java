package io.sei.operator.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The sidecar of a node, and how it is reached.
 *
 * @param image image where a node names none
 * @param urlTemplate URL with the placeholders {podIP}, {name} and {namespace}
 * @param timeout what one request may take, connecting included
 * @param tokenFile bearer token for proxies without an audience; need not exist
 * @param audienceTokenFile bearer token for the audience of the proxies; need not exist
 */
public record SidecarConfig(
    String image, String urlTemplate, Duration timeout, Path tokenFile, Path audienceTokenFile) {

  /**
   * The base URL of one node's sidecar, without a slash at its end; empty while the pod has no
   * address that the URL needs.
   *
   * @param podIp address of the pod, IPv4 or IPv6
   */
  public Optional<URI> urlOf(String namespace, String name, Optional<String> podIp) {
    return new UrlTemplate(urlTemplate).urlOf(namespace, name, podIp);
  }
}
