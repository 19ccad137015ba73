package io.sei.operator.demo;

import static java.util.stream.Collectors.joining;

import io.sei.operator.testkit.AuditLog;
import io.sei.operator.testkit.AuditLog.Request;
import io.sei.operator.testkit.OperatorJar;
import io.sei.operator.testkit.PodRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Times and costs of the scenes. */
final class Summary {

  /** A scene that was played; what happened until the next one began is counted to it. */
  private record Played(Scene scene, Instant began, Duration took, boolean ended) {}

  private static final String ROW = "  %%-%ds %%7s   %%-12s %%-40s %%6s %%5s";
  private static final int NARROWEST = 13;

  private final List<Played> played = new ArrayList<>();

  void add(Scene scene, Instant began, Duration took, boolean ended) {
    played.add(new Played(scene, began, took, ended));
  }

  boolean isComplete() {
    return played.stream().allMatch(Played::ended);
  }

  /** Returns the duration of a scene that was played to its end. */
  Optional<Duration> took(String scene) {
    return played.stream()
        .filter(done -> done.ended() && done.scene().name().equals(scene))
        .map(Played::took)
        .findFirst();
  }

  void print(Terminal terminal, AuditLog log, List<PodRecord> pods, OperatorJar operator) {
    terminal.title("Summary");
    terminal.line(columns("SCENE", "TIME", "END", "API REQUESTS BY VERB", "EVENTS", "PODS"));
    for (int i = 0; i < played.size(); i++) {
      Instant until = i + 1 < played.size() ? played.get(i + 1).began() : Instant.MAX;
      terminal.line(row(played.get(i), until, log, pods));
    }
    terminal.line("");
    terminal.line(
        "  Requests are the operator's, from the API server's audit log; watches and the lease are"
            + " left out.");
    terminal.line("  PODS counts the pods made: a rollout replaces one, once.");
    terminal.line(
        "  Refused (401, 403): " + log.requests().stream().filter(Request::isForbidden).count());
    terminal.line(
        "  Memory (RSS) of the operator: %d MiB, with %s on Java %s"
            .formatted(
                operator.residentMebibytes(),
                OperatorJar.jvmFlags().stream()
                    .filter(flag -> flag.startsWith("-X"))
                    .collect(joining(" ")),
                System.getProperty("java.version")));
  }

  private String columns(Object... cells) {
    int widest =
        played.stream().mapToInt(done -> done.scene().name().length()).max().orElse(NARROWEST);
    return ROW.formatted(Math.max(widest, NARROWEST)).formatted(cells).stripTrailing();
  }

  private String row(Played scene, Instant until, AuditLog log, List<PodRecord> pods) {
    List<Request> requests =
        log.requests().stream()
            .filter(request -> isWithin(request.at(), scene.began(), until))
            .filter(request -> !request.isWatch() && !request.isLease())
            .toList();
    List<Request> work = requests.stream().filter(request -> !request.isEvent()).toList();
    long made =
        pods.stream().filter(pod -> isWithin(pod.createdAt(), scene.began(), until)).count();
    return columns(
        scene.scene().name(),
        Terminal.seconds(scene.took()),
        scene.ended() ? "as expected" : "NOT REACHED",
        byVerb(work),
        requests.size() - work.size(),
        made);
  }

  private static boolean isWithin(Instant at, Instant from, Instant until) {
    return !at.isBefore(from) && at.isBefore(until);
  }

  private static String byVerb(List<Request> requests) {
    Map<String, Long> counts =
        requests.stream()
            .collect(Collectors.groupingBy(Request::verb, TreeMap::new, Collectors.counting()));
    String verbs =
        counts.entrySet().stream()
            .map(count -> count.getValue() + " " + count.getKey())
            .collect(Collectors.joining(", "));
    return requests.isEmpty() ? "0" : requests.size() + " (" + verbs + ")";
  }
}
