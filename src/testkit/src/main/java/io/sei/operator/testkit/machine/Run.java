package io.sei.operator.testkit.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** A program that is run to its end. */
final class Run {

  private Run() {}

  /** Returns what it said; throws with that if it failed. */
  static String quietly(Map<String, String> environment, String... command) {
    try {
      var builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().putAll(environment);
      Process process = builder.start();
      process.getOutputStream().close();
      String said = new String(process.getInputStream().readAllBytes());
      if (process.waitFor() != 0) {
        throw new IllegalStateException(List.of(command) + " failed: " + said);
      }
      return said;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + List.of(command), e);
    }
  }
}
