package io.sei.operator.testkit;

import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The kubectl plugin, run as an administrator of a control plane.
 *
 * @param flags added to each command line
 */
public record KubectlSei(ControlPlane controlPlane, List<String> flags) {

  private static final GoTool TOOL = new GoTool("kubectl-sei", "sei.io/operator/kubectl-sei");

  /** Built once: its sources do not change while tests run. */
  private static final class Program {
    static final Path PATH = TOOL.find();
  }

  /** The plugin in one namespace. */
  public KubectlSei(ControlPlane controlPlane, String namespace) {
    this(controlPlane, List.of("-n", namespace));
  }

  /** Returns the program's path. */
  public static Path program() {
    return Program.PATH;
  }

  /** Returns the plugin with more flags. */
  public KubectlSei with(String... more) {
    return new KubectlSei(controlPlane, Stream.concat(flags.stream(), Stream.of(more)).toList());
  }

  /** Returns the plugin behind a server that answers in the API server's place. */
  public KubectlSei through(FaultyApiServer server) {
    return with("--server=" + server.url());
  }

  /** Runs it to its end. */
  public KubectlResult run(String... arguments) {
    return controlPlane.callingKubectl("", command(arguments));
  }

  /** Returns the command line. */
  public List<String> command(String... arguments) {
    return Stream.of(Stream.of(program().toString()), Stream.of(arguments), flags.stream())
        .flatMap(words -> words)
        .toList();
  }

  /** Runs it without a control plane, and without the settings of the user who runs the tests. */
  public static KubectlResult alone(String... arguments) {
    return alone(Map.of(), arguments);
  }

  /** Runs it without a control plane and with environment variables. */
  public static KubectlResult alone(Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program().toString()));
    command.addAll(List.of(arguments));
    try {
      Path home = Files.createTempDirectory("kubectl-sei");
      Path stderr = home.resolve("stderr");
      ProcessBuilder builder = new ProcessBuilder(command).redirectError(stderr.toFile());
      builder.environment().clear();
      builder.environment().put("HOME", home.toString());
      builder.environment().putAll(environment);
      Process process = builder.start();
      process.getOutputStream().close();
      String stdout = new String(process.getInputStream().readAllBytes());
      KubectlResult result = new KubectlResult(process.waitFor(), stdout, Files.readString(stderr));
      Files.delete(stderr);
      Files.delete(home);
      return result;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while running " + command, e);
    }
  }
}
