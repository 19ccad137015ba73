package io.sei.operator.testkit.machine;

import io.sei.operator.testkit.controlplane.ControlPlaneBinaries;
import java.nio.file.Files;
import java.nio.file.Path;

/** The programs that {@code hack/node-tools.sh} has made. */
final class Tools {

  static final Path DIRECTORY =
      ControlPlaneBinaries.projectDirectory().resolve("target").resolve("node-tools");

  private Tools() {}

  /** A program of {@code src/test/go}. */
  static Path program(String name) {
    return existing(DIRECTORY.resolve("bin").resolve(name));
  }

  /** A file of a Debian package, by its path there. */
  static Path debian(String path) {
    return existing(DIRECTORY.resolve("debian").resolve(path));
  }

  /** A component of Kubernetes. */
  static Path component(String name) {
    return existing(ControlPlaneBinaries.directory().resolve(name));
  }

  private static Path existing(Path file) {
    if (!Files.exists(file)) {
      throw new IllegalStateException("no " + file + ": run these tests by 'make test-node'");
    }
    return file;
  }
}
