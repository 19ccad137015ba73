package io.sei.operator.config;

import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Template of a URL at which a part of a node answers.
 *
 * @param text URL with the placeholders {podIP}, {name} and {namespace}
 */
public record UrlTemplate(String text) {

  private static final String POD_IP = "{podIP}";

  private static final Pattern SLASHES_AT_END = Pattern.compile("/+$");

  /** The template that a text is; empty if it makes no URL of a node. */
  static Optional<UrlTemplate> of(String text) {
    var template = new UrlTemplate(text);
    return text.matches("https?://[^?#]*\\{(podIP|name)}[^?#]*") && template.makesUrl()
        ? Optional.of(template)
        : Optional.empty();
  }

  private boolean makesUrl() {
    try {
      return urlOf("ns", "n", Optional.of("10.0.0.1"))
          .filter(url -> url.getHost() != null && url.getUserInfo() == null)
          .isPresent();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * The base URL for one node, without a slash at its end; empty while the pod has no address that
   * the URL needs.
   *
   * @param podIp address of the pod, IPv4 or IPv6
   * @throws IllegalArgumentException if the names make no URL
   */
  public Optional<URI> urlOf(String namespace, String name, Optional<String> podIp) {
    if (podIp.isEmpty() && text.contains(POD_IP)) {
      return Optional.empty();
    }
    var url =
        text.replace(POD_IP, podIp.map(UrlTemplate::host).orElse(""))
            .replace("{namespace}", namespace)
            .replace("{name}", name);
    return Optional.of(URI.create(SLASHES_AT_END.matcher(url).replaceAll("")));
  }

  private static String host(String address) {
    return address.contains(":") ? "[" + address + "]" : address;
  }
}
