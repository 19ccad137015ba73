package io.sei.operator.testkit.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that dies with this JVM, however the JVM dies; its output goes to a log file. */
public final class ComponentProcess {

  /**
   * The kernel closes a dead JVM's end of the pipe, so the end of standard input is the one signal
   * that even a SIGKILL of the JVM cannot suppress. The component gets a session of its own,
   * because Ctrl-C in a terminal must reach the JVM first and let it shut down against a live API
   * server. The supervisor is in the JVM's group, and outlives signals to all of it.
   */
  private static final String SUPERVISOR =
      """
      trap '' HUP INT TERM
      scratch=$1
      shift
      if command -v setsid >/dev/null; then set -- setsid "$@"; fi
      exec 3<&0
      "$@" 3<&- </dev/null &
      child=$!
      { read -r _ <&3; kill -KILL "$child"; } 2>/dev/null &
      watcher=$!
      exec 3<&-
      wait "$child"
      status=$?
      kill -KILL "$watcher" 2>/dev/null
      if [ -n "$scratch" ]; then rm -rf "$scratch"; fi
      exit "$status"
      """;

  private static final int LOG_TAIL_LINES = 20;

  private final String name;
  private final Path log;
  private final Process supervisor;

  private ComponentProcess(String name, Path log, Process supervisor) {
    this.name = name;
    this.log = log;
    this.supervisor = supervisor;
  }

  /** Starts the command and appends its output to the log file. */
  public static ComponentProcess start(String name, Path log, List<String> command) {
    return start(name, log, "", command);
  }

  /** Like {@link #start(String, Path, List)}; the scratch directory is removed with the process. */
  static ComponentProcess startWithScratch(
      String name, Path log, Path scratch, List<String> command) {
    return start(name, log, scratch.toString(), command);
  }

  private static ComponentProcess start(
      String name, Path log, String scratch, List<String> command) {
    List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", SUPERVISOR, name, scratch));
    line.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    // etcd reads every flag from its environment too, and a developer's settings are not ours.
    builder.environment().keySet().removeIf(key -> key.startsWith("ETCD_"));
    // A third of what an API server of a few hundred megabytes does is collect its garbage.
    builder.environment().put("GOGC", "500");
    try {
      return new ComponentProcess(name, log, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether it still runs. */
  boolean isAlive() {
    return supervisor.isAlive();
  }

  /** Fails with the end of the log if the process ended by itself. */
  public void requireAlive() {
    if (!isAlive()) {
      throw new ComponentFailedException(
          "%s ended with status %d; the end of %s:%n%s"
              .formatted(name, supervisor.exitValue(), log, logTail()));
    }
  }

  /** Kills it with SIGKILL and waits for its end. */
  public void kill() {
    try {
      supervisor.getOutputStream().close();
      if (!supervisor.waitFor(10, TimeUnit.SECONDS)) {
        supervisor.descendants().forEach(ProcessHandle::destroyForcibly);
        supervisor.destroyForcibly().waitFor();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the end of " + name, e);
    }
  }

  private String logTail() {
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
      return String.join(
          "\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
    } catch (IOException e) {
      return "(not readable: " + e + ")";
    }
  }
}
