package io.sei.operator.testkit;

import io.sei.operator.testkit.machine.Dockerfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The operator as users run it: a process of its own, made of {@code target/sei-operator.jar}. */
public final class OperatorJar implements AutoCloseable {

  /** The jar that the build makes. */
  public static final Path FILE = Path.of("target", "sei-operator.jar");

  private static final int STOP_SECONDS = 5;

  private static final Pattern PORTS =
      Pattern.compile("Serving metrics on port (\\d+) and health on port (\\d+)");

  /** The clock ticks that Linux counts a process's CPU time in: USER_HZ, 100 on every platform. */
  private static final double TICKS_PER_SECOND = 100;

  private final HttpClient http = HttpClient.newHttpClient();
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
   * @param arguments of its command line
   */
  public static OperatorJar start(
      Path kubeconfig, Map<String, String> settings, Path log, String... arguments) {
    if (!Files.exists(FILE)) {
      throw new IllegalStateException(FILE + " is missing: run 'make build'");
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmFlags());
    command.addAll(List.of("-jar", FILE.toString()));
    command.addAll(List.of(arguments));
    return start(command, kubeconfig, settings, log);
  }

  /** Flags of Java in the image, with a small heap instead of a share of the memory limit. */
  public static List<String> jvmFlags() {
    return Stream.concat(
            Dockerfile.read(Path.of("Dockerfile")).entrypoint().stream()
                .filter(argument -> argument.startsWith("-X") || argument.startsWith("-D"))
                .filter(flag -> !flag.contains("SharedArchiveFile"))
                .filter(flag -> !flag.contains("RAMPercentage")),
            Stream.of("-Xmx64m"))
        .toList();
  }

  /** Starts it by another command. */
  public static OperatorJar start(
      List<String> command, Path kubeconfig, Map<String, String> settings, Path log) {
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

  /** Returns whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns the file with its output. */
  public Path log() {
    return log;
  }

  /** Returns its metrics, in the Prometheus text format; empty until it serves them. */
  public String metrics() {
    return get(1, "/metrics").map(HttpResponse::body).orElse("");
  }

  /** Returns whether its caches are full. */
  public boolean isReady() {
    return get(2, "/readyz").filter(response -> response.statusCode() == 200).isPresent();
  }

  /** Returns the address at which it says whether it is ready, once it does. */
  public Optional<URI> readinessUrl() {
    return url(2, "/readyz");
  }

  /** Returns the address of its metrics, once it serves them. */
  public Optional<URI> metricsUrl() {
    return url(1, "/metrics");
  }

  private Optional<URI> url(int port, String path) {
    try {
      Matcher ports = PORTS.matcher(Files.readString(log));
      return ports.find()
          ? Optional.of(URI.create("http://127.0.0.1:" + ports.group(port) + path))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<HttpResponse<String>> get(int port, String path) {
    try {
      Optional<URI> url = url(port, path);
      return url.isEmpty()
          ? Optional.empty()
          : Optional.of(
              http.send(HttpRequest.newBuilder(url.get()).build(), BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Seconds of CPU it has used, or -1 where the system does not tell. */
  public double cpuSeconds() {
    Path stat = Path.of("/proc", Long.toString(pid()), "stat");
    try {
      String text = Files.readString(stat);
      // The name, which may hold spaces, is in parentheses; utime and stime are fields 14 and 15.
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
      return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    } catch (IOException e) {
      return -1;
    }
  }

  /** Its resident memory in MiB, or -1 where the system does not tell. */
  public long residentMebibytes() {
    return mebibytes("VmRSS:");
  }

  /** The most that its resident memory has been in MiB, or -1 where the system does not tell. */
  public long mostResidentMebibytes() {
    return mebibytes("VmHWM:");
  }

  private long mebibytes(String field) {
    Path status = Path.of("/proc", Long.toString(pid()), "status");
    try (var lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith(field))
          .map(line -> line.replaceAll("[^0-9]", ""))
          .mapToLong(kibibytes -> Long.parseLong(kibibytes) / 1024)
          .findFirst()
          .orElse(-1);
    } catch (IOException e) {
      return -1;
    }
  }

  /** Ends it with SIGKILL and waits until it is gone. */
  public void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
