package io.sei.operator.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The operator as users run it: a process of its own, made of {@code target/sei-operator.jar}. */
public final class OperatorJar implements AutoCloseable {

  /** What the image runs Java with, apart from the heap, which there follows the memory limit. */
  public static final List<String> JVM_FLAGS =
      List.of(
          "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError", "-Xmx64m");

  /** The jar that the build makes. */
  public static final Path FILE = Path.of("target", "sei-operator.jar");

  private static final int STOP_SECONDS = 5;

  private final Process process;
  private final Path log;

  private OperatorJar(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts the operator and does not wait for it.
   *
   * @param kubeconfig whom it acts as
   * @param settings its SEI_* variables; ports are free ones unless they say otherwise
   * @param log where its output goes
   */
  public static OperatorJar start(Path kubeconfig, Map<String, String> settings, Path log) {
    if (!Files.exists(FILE)) {
      throw new IllegalStateException(FILE + " is missing: run 'make build'");
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_FLAGS);
    command.addAll(List.of("-jar", FILE.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    Map<String, String> environment = builder.environment();
    // Neither a developer's settings nor those of a pod this runs in are the operator's.
    environment
        .keySet()
        .removeIf(
            key ->
                key.startsWith("SEI_") || key.startsWith("KUBERNETES_") || key.startsWith("POD_"));
    environment.put("KUBECONFIG", kubeconfig.toString());
    environment.put("SEI_METRICS_PORT", "0");
    environment.put("SEI_HEALTH_PORT", "0");
    environment.putAll(settings);
    try {
      return new OperatorJar(builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** Whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Where its output goes. */
  public Path log() {
    return log;
  }

  /** Its resident memory in MiB, or -1 where the system does not tell. */
  public long residentMebibytes() {
    Path status = Path.of("/proc", Long.toString(pid()), "status");
    try (var lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .map(line -> line.replaceAll("[^0-9]", ""))
          .mapToLong(kibibytes -> Long.parseLong(kibibytes) / 1024)
          .findFirst()
          .orElse(-1);
    } catch (IOException e) {
      return -1;
    }
  }

  /** Asks it to stop, and kills it if it has not after five seconds. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
