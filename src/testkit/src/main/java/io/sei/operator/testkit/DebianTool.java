package io.sei.operator.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A tool of others that tests run. That it cannot be found is an error that says why, never a
 * reason to skip.
 *
 * @param name name of the executable
 * @param debianPackage where it comes from if it is not on the PATH
 */
public record DebianTool(String name, String debianPackage) {

  /** Prometheus' own tool to check and test rules. */
  public static final DebianTool PROMTOOL = new DebianTool("promtool", "prometheus");

  /** Prometheus itself. */
  public static final DebianTool PROMETHEUS = new DebianTool("prometheus", "prometheus");

  /** Finds mistakes in shell scripts. */
  public static final DebianTool SHELLCHECK = new DebianTool("shellcheck", "shellcheck");

  private static final Path DIRECTORY = Path.of("target", "tools").toAbsolutePath();

  /** Exit code and output of a run. */
  public record Run(int exitCode, String output) {}

  /** Returns the path of the tool; fetches it where it is missing. */
  public Path find() {
    String script = Path.of("hack", "debian-tool.sh").toString();
    Run found =
        execute(
            Path.of("").toAbsolutePath(),
            List.of(script, name, debianPackage, DIRECTORY.toString()));
    if (found.exitCode() != 0) {
      throw new IllegalStateException(found.output());
    }
    return DIRECTORY.resolve(name);
  }

  /** Runs it in a directory. */
  public Run run(Path directory, String... arguments) {
    List<String> command = new ArrayList<>(List.of(find().toString()));
    command.addAll(List.of(arguments));
    return execute(directory, command);
  }

  static Run execute(Path directory, List<String> command) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
      // A quarter of what promtool does is collect its garbage.
      builder.environment().put("GOGC", "800");
      Process process = builder.start();
      process.getOutputStream().close();
      String output;
      try (var reader = process.inputReader()) {
        output = String.join("\n", reader.lines().toList());
      }
      return new Run(process.waitFor(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while running " + command, e);
    }
  }
}
