package io.sei.operator.render;

/**
 * An image that a Job pulls.
 *
 * @param program the program in it that the container of the pull runs
 * @param always whether the registry is asked although the image may be there
 */
public record PulledImage(String name, PulledProgram program, boolean always) {

  /** The image of an upgrade: its tag may be moved, a digest may not. */
  public static PulledImage ofUpgrade(String name) {
    return new PulledImage(name, PulledProgram.INSPECTED_SEID, !name.contains("@"));
  }

  /** The image of a container, as the kubelet would pull it for that container. */
  public static PulledImage ofContainer(String container, String name) {
    return new PulledImage(name, PulledProgram.of(container), PullPolicy.isAlways(name));
  }
}
