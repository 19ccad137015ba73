package io.sei.operator.kube;

import java.util.regex.Pattern;

/** Minor version of an API server. */
public record ServerVersion(int major, int minor) implements Comparable<ServerVersion> {

  /** The oldest that the operator supports. */
  public static final ServerVersion OLDEST_SUPPORTED = new ServerVersion(1, 30);

  private static final Pattern GIT_VERSION = Pattern.compile("^v?(\\d+)\\.(\\d+).*$");

  /**
   * Reads the {@code gitVersion} that {@code /version} gives, such as {@code v1.30.4-eks-036c24b}.
   * Its {@code major} and {@code minor} are not relied on: builds from source leave them empty.
   *
   * @throws IllegalArgumentException if it does not begin with two numbers
   */
  public static ServerVersion parse(String gitVersion) {
    var matcher = GIT_VERSION.matcher(gitVersion == null ? "" : gitVersion.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a Kubernetes version: '" + gitVersion + "'");
    }
    return new ServerVersion(
        Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  /** Whether the operator works with it. */
  public boolean isSupported() {
    return compareTo(OLDEST_SUPPORTED) >= 0;
  }

  @Override
  public int compareTo(ServerVersion other) {
    return major != other.major
        ? Integer.compare(major, other.major)
        : Integer.compare(minor, other.minor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
