package io.sei.operator.config;

import java.util.Optional;
import java.util.regex.Pattern;

/** Names a ServiceAccount as {@code NAMESPACE/NAME}. */
public record ServiceAccountRef(String namespace, String name) {

  private static final Pattern TEXT =
      Pattern.compile("([a-z0-9][-a-z0-9]{0,62})/([a-z0-9][-.a-z0-9]{0,252})");

  static Optional<ServiceAccountRef> of(String text) {
    var parts = TEXT.matcher(text);
    return parts.matches()
        ? Optional.of(new ServiceAccountRef(parts.group(1), parts.group(2)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
