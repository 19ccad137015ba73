package io.sei.operator.testkit.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs kubectl with one kubeconfig and without any setting of the user who runs the tests. */
record Kubectl(Path binary, Path kubeconfig, RunDirectories directories) {

  ControlPlane.KubectlResult run(Duration timeout, String... arguments) {
    List<String> command = new ArrayList<>(List.of(binary.toString()));
    command.addAll(List.of(arguments));
    try {
      // To files, because a process that fills a pipe nobody reads does not end.
      Path stdout = Files.createTempFile(directories.work(), "kubectl-", ".out");
      Path stderr = Files.createTempFile(directories.work(), "kubectl-", ".err");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectOutput(stdout.toFile())
              .redirectError(stderr.toFile());
      builder.environment().put("KUBECONFIG", kubeconfig.toString());
      builder.environment().put("HOME", directories.work().toString());
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException("kubectl did not end in " + timeout + ": " + command);
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
}
