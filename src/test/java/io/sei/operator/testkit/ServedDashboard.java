package io.sei.operator.testkit;

import io.sei.operator.testkit.controlplane.ControlPlane;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code kubectl sei dashboard}, while it serves. */
public final class ServedDashboard implements AutoCloseable {

  private static final Pattern SERVES =
      Pattern.compile("The dashboard is at (http://127\\.0\\.0\\.1:\\d+/dashboard/) until .*");

  private final Process process;
  private final String address;

  /** Starts it and waits until it serves. */
  public ServedDashboard(
      ControlPlane controlPlane, KubectlSei plugin, Map<String, String> environment) {
    List<String> command = plugin.command("dashboard");
    try {
      process = controlPlane.start(command, environment);
      BufferedReader out = process.inputReader();
      String line = out.readLine();
      Matcher serves = SERVES.matcher(line == null ? "" : line);
      if (!serves.matches()) {
        process.destroy();
        throw new IllegalStateException("it does not serve, but printed: " + line);
      }
      address = serves.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the address that it printed. */
  public String address() {
    return address;
  }

  /** Interrupts it as Ctrl-C does, and returns its exit code. */
  public int interrupt() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(1, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IllegalStateException("it did not end when it was interrupted");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroy();
  }
}
