package io.sei.operator.observability;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Prometheus' own tool to check and test rules. */
final class Promtool {

  private static final Path DIRECTORY = Path.of("target", "tools").toAbsolutePath();

  private Promtool() {}

  /** What a run of it came to. */
  record Run(int exitCode, String output) {}

  /** Runs it. That it cannot be found is an error that says why, never a reason to skip. */
  static Run run(Path directory, String... arguments) {
    Run found =
        execute(
            Path.of("").toAbsolutePath(),
            List.of(Path.of("hack", "promtool.sh").toString(), DIRECTORY.toString()));
    if (found.exitCode() != 0) {
      throw new IllegalStateException(found.output());
    }
    List<String> command = new ArrayList<>(List.of(DIRECTORY.resolve("promtool").toString()));
    command.addAll(List.of(arguments));
    return execute(directory, command);
  }

  private static Run execute(Path directory, List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .start();
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
