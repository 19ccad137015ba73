package io.sei.operator.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The sidecar of a node, and how it is reached.
 *
 * @param image image where a node names none
 * @param urlTemplate URL with the placeholders {name} and {namespace}
 * @param timeout what one request may take, connecting included
 * @param tokenFile bearer token to show; need not exist
 */
public record SidecarConfig(String image, String urlTemplate, Duration timeout, Path tokenFile) {

  /** The base URL of one node's sidecar, without a slash at its end. */
  public URI urlOf(String namespace, String name) {
    var url = urlTemplate.replace("{namespace}", namespace).replace("{name}", name);
    return URI.create(url.replaceAll("/+$", ""));
  }
}
