package io.sei.operator.testkit;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The operator as the image starts it: {@code java -jar}, with environment variables and nothing of
 * this JVM's environment. The system property {@code java} names another Java than this JVM's own.
 */
public final class OperatorProcess implements AutoCloseable {

  private static final Pattern PORTS =
      Pattern.compile("Serving metrics on port (\\d+) and health on port (\\d+)");

  /** A start of seconds was seen to take more than a minute on a busy machine. */
  private static final Duration SOON = Duration.ofMinutes(3);

  /** Settings of every start: ports, because the usual ones may be taken on this machine. */
  private static final Map<String, String> ANY_PORTS =
      Map.of("SEI_METRICS_PORT", "0", "SEI_HEALTH_PORT", "0");

  private final Path directory;
  private final Process process;
  private final HttpClient http = HttpClient.newHttpClient();

  private OperatorProcess(Path directory, Process process) {
    this.directory = directory;
    this.process = process;
  }

  /** Starts the operator with a kubeconfig and these environment variables. */
  public static OperatorProcess start(String kubeconfig, Map<String, String> environment) {
    return start(command(), kubeconfig, environment);
  }

  private static List<String> command() {
    return commandWith("-XX:SharedArchiveFile=" + LoadedClasses.ARCHIVE);
  }

  private static List<String> commandWith(String... flags) {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(OperatorJar.jvmFlags());
    command.addAll(List.of(flags));
    command.addAll(List.of("-jar", OperatorJar.FILE.toAbsolutePath().toString()));
    return command;
  }

  /** Classes that a start finds loaded, as in the image: that halves its processor time. */
  private static final class LoadedClasses {

    static final Path ARCHIVE = archive();

    /** Returns the archive of a start that finds no API server. */
    private static Path archive() {
      Path archive = Path.of("target", "operator-process.jsa").toAbsolutePath();
      var nowhere = new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1/").build();
      List<String> command = commandWith("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:disable");
      try (OperatorProcess process = start(command, kubeconfig(nowhere), Map.of())) {
        process.awaitExit();
      }
      return archive;
    }
  }

  /** Starts the operator by another command. */
  public static OperatorProcess start(
      List<String> command, String kubeconfig, Map<String, String> environment) {
    try {
      Path directory = Files.createTempDirectory(Path.of("target"), "operator-process-");
      Path config = Files.writeString(directory.resolve("kubeconfig"), kubeconfig);
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectOutput(directory.resolve("stdout").toFile())
              .redirectError(directory.resolve("stderr").toFile());
      Map<String, String> variables = new HashMap<>(ANY_PORTS);
      variables.putAll(environment);
      variables.put("KUBECONFIG", config.toAbsolutePath().toString());
      variables.put("HOME", directory.toAbsolutePath().toString());
      builder.environment().clear();
      builder.environment().putAll(variables);
      return new OperatorProcess(directory, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A kubeconfig without a namespace, as most are, for an API server over plain HTTP. */
  public static String kubeconfig(Config config) {
    return """
        apiVersion: v1
        kind: Config
        clusters: [{name: c, cluster: {server: "%s"}}]
        users: [{name: u, user: {token: "%s"}}]
        contexts: [{name: x, context: {cluster: c, user: u}}]
        current-context: x
        """
        .formatted(config.getMasterUrl(), config.getOauthToken());
  }

  private static String java() {
    String home = System.getProperty("java", System.getProperty("java.home"));
    return Path.of(home, "bin", "java").toString();
  }

  /** Waits until every cache is full and returns this. */
  public OperatorProcess awaitReady() {
    awaiting("ready", () -> ports().find() && health("/readyz").statusCode() == 200);
    return this;
  }

  /** Waits until this replica says that it is the one that acts. */
  public OperatorProcess awaitLeading() {
    awaiting("leading", () -> ports().find() && isLeading());
    return this;
  }

  /** Returns whether this replica says that it is the one that acts. */
  public boolean isLeading() {
    return health("/readyz").body().contains("leader: true");
  }

  /** Asks the health port, once the process listens. */
  public HttpResponse<String> health(String path) {
    return get(2, path);
  }

  /** Asks the metrics port, once the process listens. */
  public HttpResponse<String> metrics(String path) {
    return get(1, path);
  }

  /** The lines on stdout so far. */
  public List<String> log() {
    return lines("stdout");
  }

  /** The lines on stderr so far. */
  public List<String> stderr() {
    return lines("stderr");
  }

  /** Returns whether it answers a scrape within a moment. */
  public boolean isScrapeable() {
    try {
      return get(1, "/metrics", Duration.ofSeconds(2)).statusCode() == 200;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  /** Stops it in its tracks, with SIGSTOP. */
  public void freeze() {
    signal("STOP");
  }

  /** Lets it go on after {@link #freeze}. */
  public void thaw() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Asks for its end, as kubelet does. */
  public void terminate() {
    process.destroy();
  }

  /** Ends it with SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Returns whether it runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for its end and returns its exit code. */
  public int awaitExit() {
    try {
      if (!process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("still runs after " + SOON + everything());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    process.destroyForcibly();
    awaitExit();
  }

  private void awaiting(String what, java.util.concurrent.Callable<Boolean> condition) {
    try {
      await(what)
          .atMost(SOON)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                if (!process.isAlive()) {
                  throw new AssertionError("ended with " + process.exitValue() + everything());
                }
                return condition.call();
              });
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("not " + what + " after " + SOON + everything(), e);
    }
  }

  private HttpResponse<String> get(int port, String path) {
    return get(port, path, SOON);
  }

  private HttpResponse<String> get(int port, String path, Duration patience) {
    awaiting("listening", () -> ports().find());
    Matcher ports = ports();
    if (!ports.find()) {
      throw new IllegalStateException("does not listen");
    }
    URI uri = URI.create("http://127.0.0.1:" + ports.group(port) + path);
    try {
      return http.send(
          HttpRequest.newBuilder(uri).timeout(patience).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(everything(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private Matcher ports() {
    return PORTS.matcher(String.join("\n", log()));
  }

  private List<String> lines(String file) {
    try {
      String text = Files.readString(directory.resolve(file));
      // A line that is being written is no line yet.
      List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
      lines.remove(lines.size() - 1);
      return lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String everything() {
    return Stream.of("stdout", "stderr")
        .map(file -> "\n" + file + ":\n" + String.join("\n", lines(file)))
        .collect(Collectors.joining());
  }
}
