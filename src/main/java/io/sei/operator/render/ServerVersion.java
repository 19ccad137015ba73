package io.sei.operator.render;

import java.util.regex.Pattern;

/** Version of the API server, as far as it decides what may be rendered. */
public record ServerVersion(int major, int minor) implements Comparable<ServerVersion> {

  // SidecarContainers is on by default since 1.29 (beta); 1.28 drops the field in silence.
  private static final ServerVersion NATIVE_SIDECARS = new ServerVersion(1, 29);

  private static final Pattern GIT_VERSION = Pattern.compile("^v?(\\d+)\\.(\\d+).*$");

  /**
   * Reads the {@code gitVersion} that {@code /version} gives, such as {@code v1.29.4-eks-036c24b}.
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
}
