package io.sei.operator.testkit.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The executables a control plane is made of. */
public record ControlPlaneBinaries(
    Path etcd, Path kubeApiServer, Path kubeControllerManager, Path kubectl) {

  /** Property that names another version of Kubernetes, such as {@code 1.30}. */
  private static final String VERSION = "kubernetes";

  private static final String DEFAULT_VERSION = "1.37";
  private static final Path SCRIPT = Path.of("hack", "control-plane.sh");

  /**
   * Finds the executables the way {@code hack/control-plane.sh} does, which may build them on a
   * machine's first run. Never skips: what cannot be found is an error that says why.
   */
  public static ControlPlaneBinaries locate() {
    Path directory = directory();
    runScript(SCRIPT, directory, version());
    return new ControlPlaneBinaries(
        executable(directory, "etcd"),
        executable(directory, "kube-apiserver"),
        executable(directory, "kube-controller-manager"),
        executable(directory, "kubectl"));
  }

  /** The directory that {@link #locate()} fills. */
  public static Path directory() {
    return projectDirectory().resolve("target").resolve("control-plane-" + version());
  }

  private static String version() {
    return System.getProperty(VERSION, DEFAULT_VERSION);
  }

  /** The root of this project: the nearest directory upwards that holds the script. */
  public static Path projectDirectory() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve(SCRIPT))) {
      directory = directory.getParent();
      if (directory == null) {
        throw new IllegalStateException("not run inside the project: no " + SCRIPT + " upwards");
      }
    }
    return directory;
  }

  /** Runs a script of {@code hack}, which makes the directory. */
  static void runScript(Path script, Path directory, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(projectDirectory().resolve(script).toString());
    command.add(directory.toString());
    command.addAll(List.of(arguments));
    List<String> said = new ArrayList<>();
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      // Line by line, because a first run takes minutes and must not look stuck.
      try (var lines = process.inputReader()) {
        lines.lines().peek(System.err::println).forEach(said::add);
      }
      if (process.waitFor() != 0) {
        throw new IllegalStateException(
            script + " failed:" + System.lineSeparator() + String.join("\n", said));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + script, e);
    }
  }

  private static Path executable(Path directory, String name) {
    Path file = directory.resolve(name);
    if (!Files.isExecutable(file)) {
      throw new IllegalStateException(SCRIPT + " did not make " + file);
    }
    return file;
  }
}
