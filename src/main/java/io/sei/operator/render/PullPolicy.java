package io.sei.operator.render;

/** Pull policy of the images of a node's containers. */
public final class PullPolicy {

  private PullPolicy() {}

  /**
   * The pull policy that the API server gives a new container. It is rendered, because the server
   * gives it once: a container that got {@code Always} for {@code latest} keeps it when a tag takes
   * the place of {@code latest}, and then needs the registry at every start.
   */
  static String of(String image) {
    return isAlways(image) ? "Always" : "IfNotPresent";
  }

  /** Returns whether the registry is asked for an image at each start of a container. */
  public static boolean isAlways(String image) {
    String name = image.substring(image.lastIndexOf('/') + 1);
    boolean latest = !name.contains(":") || name.endsWith(":latest");
    return latest && !image.contains("@");
  }
}
