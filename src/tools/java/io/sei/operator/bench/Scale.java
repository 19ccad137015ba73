package io.sei.operator.bench;

import io.sei.operator.testkit.AuditLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Costs of a number of nodes: creation, an idle minute, a start of the operator, an edit. */
record Scale(World world, Nodes nodes, Series series, int count) {

  static final String CREATION = "from nothing to all Running, seconds";
  static final String IDLE = "idle minute, CPU seconds";
  static final String RESIDENT = "resident memory, MiB";
  static final String HEAP = "live heap, MiB";
  static final String REACTION = "spec change to pod delete";
  static final String SLOWEST = ", slowest, ms";
  static final String START = "start to first StatefulSet, seconds";
  static final String KILLED = "all edited at once, killed at half, to all done, seconds";
  static final String KILLED_PROCESSOR = "the same, CPU seconds since the kill";

  private static final int EDITS = 50;
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration QUIET = Duration.ofSeconds(10);

  Scale(World world, Series series, int count) {
    this(world, new Nodes(world), series, count);
  }

  void run() {
    add(
        CREATION,
        Timed.seconds(
            () -> nodes.create(0, count, "sei:v0"), () -> nodes.settledOn("sei:v0") == count));
    idle();
    singleEdits();
    startUp();
    killedInTheMiddle();
  }

  private void idle() {
    // What was last told of the start is not idleness.
    Timed.until(() -> world.asked(Instant.now().minus(QUIET)).isEmpty());
    // The operator looks once a minute whether it is idle, and then gives memory back.
    Timed.pass(MINUTE.multipliedBy(2));
    double cpu = world.operator().cpuSeconds();
    Instant begin = Instant.now();
    Timed.pass(MINUTE);
    add("idle minute, API requests", world.asked(begin).size());
    add(IDLE, world.operator().cpuSeconds() - cpu);
    add(RESIDENT, world.operator().residentMebibytes());
    add(HEAP, LiveHeap.mebibytes(world.operator().pid()));
  }

  /** One edit after the other, among all the other nodes. */
  private void singleEdits() {
    Instant begin = Instant.now();
    int edits = Math.min(EDITS, count);
    for (int i = 0; i < edits; i++) {
      int index = i;
      long before = nodes.settledOn("sei:v1");
      nodes.setImage(index, "sei:v1");
      Timed.until(() -> nodes.settledOn("sei:v1") == before + 1);
    }
    addDelays(REACTION, edits, begin);
  }

  /** Adds how long after the edit of each of the first nodes its pod was deleted. */
  void addDelays(String what, int edits, Instant begin) {
    List<AuditLog.Request> edited = world.edited(begin);
    List<AuditLog.Request> asked = world.asked(begin);
    var delays = new ArrayList<Double>();
    for (int i = 0; i < edits; i++) {
      Instant edit = arrival(edited, "patch", "seinodes", nodes.name(i));
      Instant delete = arrival(asked, "delete", "pods", nodes.name(i) + "-0");
      delays.add(Duration.between(edit, delete).toNanos() / 1e6);
    }
    delays.sort(null);
    add(what + ", p50, ms", delays.get(delays.size() / 2));
    add(what + SLOWEST, delays.getLast());
  }

  static Instant arrival(
      List<AuditLog.Request> requests, String verb, String resource, String name) {
    return requests.stream()
        .filter(request -> request.verb().equals(verb))
        .filter(request -> request.resource().equals(resource))
        .filter(request -> request.name().equals(name))
        .map(AuditLog.Request::at)
        .min(Instant::compareTo)
        .orElseThrow();
  }

  /** Starts again where one node waits for its first StatefulSet. */
  private void startUp() {
    world.operator().kill();
    nodes.create(count, count + 1, "sei:v0");
    Instant begin = Instant.now();
    world.startOperator();
    Timed.until(() -> world.operator().isReady());
    add("start to all caches full, seconds", seconds(begin, Instant.now()));
    String waiting = "n" + count;
    Timed.until(
        () ->
            world.pods().stream()
                .anyMatch(pod -> pod.getMetadata().getName().equals(waiting + "-0")));
    add(START, seconds(begin, arrival(world.asked(begin), "patch", "statefulsets", waiting)));
    Timed.until(() -> nodes.settledOn("sei:v0") + nodes.settledOn("sei:v1") == count + 1);
  }

  /** How much is left for the second process depends on when half is done. */
  private void killedInTheMiddle() {
    int all = count + 1;
    double before = world.operator().cpuSeconds();
    Instant begin = Instant.now();
    nodes.setImageOfAll(all, "sei:v2");
    Timed.until(() -> nodes.settledOn("sei:v2") >= all / 2);
    double untilKilled = world.operator().cpuSeconds() - before;
    world.operator().kill();
    world.startOperator();
    Timed.until(() -> nodes.settledOn("sei:v2") == all);
    add(KILLED, seconds(begin, Instant.now()));
    add(KILLED_PROCESSOR, world.operator().cpuSeconds());
    add("the same, CPU seconds of both processes", untilKilled + world.operator().cpuSeconds());
    add("resident memory after it, MiB", world.operator().residentMebibytes());
  }

  private void add(String what, double value) {
    series.add(what, count, value);
  }

  private static double seconds(Instant from, Instant to) {
    return Duration.between(from, to).toNanos() / 1e9;
  }
}
