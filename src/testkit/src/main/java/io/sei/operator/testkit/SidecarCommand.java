package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Container;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The words that a sidecar's process is started with, and what becomes of it, as its parser was
 * seen to take them (facts of urfave/cli v3.6.1, which all its versions have).
 *
 * @param words the program and its arguments
 */
record SidecarCommand(List<String> words) {

  static final List<String> SEICTL = List.of("seictl");
  static final List<String> IN_TREE = List.of("sei-sidecar", "serve");

  private static final String NOT_FOUND =
      "exec: \"%s\": executable file not found in $PATH: unknown";

  /**
   * Returns the beginning of the image's command, and the container's own command instead of it.
   */
  static SidecarCommand of(Container container) {
    var words =
        new ArrayList<>(
            container.getCommand().isEmpty()
                ? entryPoint(container.getImage())
                : container.getCommand());
    words.addAll(container.getArgs());
    return new SidecarCommand(words);
  }

  /** The image that is made from the source tree of sei-k8s-controller has no other program. */
  private static List<String> entryPoint(String image) {
    return isInTree(image) ? IN_TREE : SEICTL;
  }

  /** Returns whether an image has the program from that tree. */
  static boolean isInTree(String image) {
    String name = image.substring(image.lastIndexOf('/') + 1);
    return name.startsWith("sei-sidecar");
  }

  /**
   * Returns the exit of a process that ends at once in a container of this image; empty if it
   * serves.
   */
  Optional<Crash> end(String image) {
    String program = entryPoint(image).get(0);
    return words.get(0).replaceFirst("^/usr/bin/", "").equals(program)
        ? end()
        : Optional.of(new Crash(128, NOT_FOUND.formatted(words.get(0))));
  }

  /** Returns the exit of a program that was found. */
  Optional<Crash> end() {
    if (words.size() == 1 || words.contains("help")) {
      return Optional.of(new Crash(0, "NAME:\n   " + words.get(0) + " - Sei node sidecar"));
    }
    return words.get(1).equals("serve")
        ? Optional.empty()
        : Optional.of(new Crash(3, "No help topic for '" + words.get(1) + "'"));
  }
}
