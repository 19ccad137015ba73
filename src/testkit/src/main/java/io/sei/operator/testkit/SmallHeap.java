package io.sei.operator.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a program in a process with the heap that the operator has where its container may use 256
 * MiB. It ends as the operator does when that heap is exhausted.
 */
public final class SmallHeap {

  private static final int MINUTES = 2;

  private SmallHeap() {}

  /** Starts the program; its standard error is that of the test. */
  public static Process start(Class<?> program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx102m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:+ExitOnOutOfMemoryError"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Runs the program to its end and returns what it prints; fails if it does not end well. */
  public static String run(Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    Process process = start(program, arguments);
    try {
      String printed = new String(process.getInputStream().readAllBytes());
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new AssertionError(
            program.getSimpleName() + " has not ended well, and printed: " + printed);
      }
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }
}
