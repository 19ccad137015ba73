package io.sei.operator.config;

import java.net.URI;
import java.util.Optional;

/**
 * Where something of a node answers.
 *
 * @param text URL with the placeholders {podIP}, {name} and {namespace}
 */
record UrlTemplate(String text) {

  static final String POD_IP = "{podIP}";

  /**
   * The base URL for one node, without a slash at its end; empty while the pod has no address that
   * the URL needs.
   *
   * @param podIp address of the pod, IPv4 or IPv6
   */
  Optional<URI> urlOf(String namespace, String name, Optional<String> podIp) {
    if (podIp.isEmpty() && text.contains(POD_IP)) {
      return Optional.empty();
    }
    var url =
        text.replace(POD_IP, podIp.map(UrlTemplate::host).orElse(""))
            .replace("{namespace}", namespace)
            .replace("{name}", name);
    return Optional.of(URI.create(url.replaceAll("/+$", "")));
  }

  private static String host(String address) {
    return address.contains(":") ? "[" + address + "]" : address;
  }
}
