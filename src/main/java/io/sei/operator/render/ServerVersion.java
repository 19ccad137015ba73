package io.sei.operator.render;

import java.util.regex.Pattern;

/** Version of the API server, as far as it decides what may be rendered. */
public record ServerVersion(int major, int minor) implements Comparable<ServerVersion> {

  // SidecarContainers is on by default since 1.29 (beta); 1.28 drops the field in silence.
  private static final ServerVersion NATIVE_SIDECARS = new ServerVersion(1, 29);

  private static final Pattern LEADING_NUMBER = Pattern.compile("^(\\d+).*$");

  /**
   * Reads what {@code /version} says, such as {@code "1"} and {@code "29+"}: vendors append to the
   * minor version.
   *
   * @throws IllegalArgumentException if one does not start with a number
   */
  public static ServerVersion parse(String major, String minor) {
    return new ServerVersion(leadingNumber(major), leadingNumber(minor));
  }

  /** Whether an init container may have {@code restartPolicy: Always}. */
  public boolean supportsNativeSidecars() {
    return compareTo(NATIVE_SIDECARS) >= 0;
  }

  @Override
  public int compareTo(ServerVersion other) {
    return major != other.major
        ? Integer.compare(major, other.major)
        : Integer.compare(minor, other.minor);
  }

  private static int leadingNumber(String text) {
    var matcher = LEADING_NUMBER.matcher(text == null ? "" : text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a Kubernetes version number: '" + text + "'");
    }
    return Integer.parseInt(matcher.group(1));
  }
}
