package io.sei.operator.testkit.controlplane;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs kubectl, and what calls it, with one kubeconfig and without any setting of the user who runs
 * the tests.
 */
record Kubectl(Path binary, Path kubeconfig, RunDirectories directories) {

  ControlPlane.KubectlResult run(Duration timeout, String... arguments) {
    List<String> command = new ArrayList<>(List.of(binary.toString()));
    command.addAll(List.of(arguments));
    return run(timeout, command, "");
  }

  /** Runs a command for which this kubectl is the one on the PATH, after what is put before it. */
  ControlPlane.KubectlResult run(Duration timeout, List<String> command, String pathBefore) {
    try {
      // To files, because a process that fills a pipe nobody reads does not end.
      Path stdout = Files.createTempFile(directories.work(), "kubectl-", ".out");
      Path stderr = Files.createTempFile(directories.work(), "kubectl-", ".err");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectOutput(stdout.toFile())
              .redirectError(stderr.toFile());
      prepare(builder, pathBefore);
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException("did not end in " + timeout + ": " + command);
      }
      return new ControlPlane.KubectlResult(
          process.exitValue(), Files.readString(stdout), Files.readString(stderr));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for kubectl", e);
    }
  }

  /** Starts a long-running command whose output the caller reads. */
  Process start(List<String> command, Map<String, String> environment) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    prepare(builder, "");
    builder.environment().putAll(environment);
    return builder.start();
  }

  private void prepare(ProcessBuilder builder, String pathBefore) {
    builder.environment().put("KUBECONFIG", kubeconfig.toString());
    builder.environment().put("HOME", directories.work().toString());
    builder.environment().put("PATH", path(pathBefore));
  }

  private String path(String before) {
    return Stream.of(before, binary.getParent().toString(), System.getenv("PATH"))
        .filter(part -> !part.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
