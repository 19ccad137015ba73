package io.sei.operator.bench;

import io.sei.operator.testkit.AuditLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Costs and times of rollouts, next to plain StatefulSets under RollingUpdate in the same run. */
record Rollouts(World world, Nodes nodes, Fleet fleet, PlainStatefulSets plain, Table table) {

  /** Part of the name of every count of one node's rollout. */
  static final String EACH = ", per rollout, ";

  private static final String TOKEN = "create serviceaccounts/token";

  /**
   * @param inPlace whether nodes are updated in place
   */
  Rollouts(World world, Table table, boolean inPlace) {
    this(world, new Nodes(world, inPlace), new Fleet(world), new PlainStatefulSets(world), table);
  }

  /**
   * API requests and reconciles of a node's image rollout.
   *
   * @param count how many nodes are edited at once
   */
  void cost(int runs, int count) {
    String who = (count == 1 ? "one node" : count + " nodes at once") + how();
    int completed = world.plansCompleted();
    Instant created = Instant.now();
    nodes.create(0, count, "sei:v0");
    for (int run = 0; run <= runs; run++) {
      String image = "sei:v" + run;
      double reconciles = world.reconciles();
      Instant begin = Instant.now();
      double seconds =
          Timed.seconds(
              () -> nodes.setImageOfAll(count, image), () -> nodes.settledOn(image) == count);
      int plans = completed + count * (run + 1);
      Timed.until(() -> world.plansCompleted() >= plans);
      // The first are the plans that start the nodes.
      if (run > 0) {
        table.add(who + ", image rollout, seconds", seconds);
        addCounts(who + EACH, count, world.reconciles() - reconciles, world.asked(begin));
      }
    }
    // Nodes that are updated in place have the names, and so the tokens, of those before them.
    if (!nodes.inPlace()) {
      addTokens(who, count, created);
    }
    nodes.deleteAll();
  }

  /** A token serves all rollouts of its node for eight minutes, so it is counted apart. */
  private void addTokens(String who, int count, Instant since) {
    long tokens = world.asked(since).stream().filter(Rollouts::isForToken).count();
    double periods = Math.ceil(Duration.between(since, Instant.now()).toSeconds() / 480.0);
    table.add(who + EACH + "in eight minutes, " + TOKEN, tokens / periods / count);
  }

  private String how() {
    return nodes.inPlace() ? " in place" : "";
  }

  private void addCounts(
      String rows, double rollouts, double reconciles, List<AuditLog.Request> asked) {
    List<AuditLog.Request> requests =
        asked.stream().filter(request -> !isForToken(request)).toList();
    table.add(rows + "reconciles", reconciles / rollouts);
    table.add(rows + "API requests", requests.size() / rollouts);
    requests.stream()
        .collect(Collectors.groupingBy(Rollouts::kind, TreeMap::new, Collectors.counting()))
        .forEach((kind, times) -> table.add(rows + kind, times / rollouts));
  }

  private static boolean isForToken(AuditLog.Request request) {
    return kind(request).equals(TOKEN);
  }

  private static String kind(AuditLog.Request request) {
    return request.verb() + " " + request.resource();
  }

  /**
   * Many nodes edited at once, and then as many plain StatefulSets, whose pods are replaced. The
   * simulated kubelet starts another image in a running pod as a real one was seen to (Kubernetes
   * 1.37): at once, with another probe before it is Ready, and without scheduling, volumes and init
   * containers; see {@code ContainerRun}.
   */
  void manyAtOnce(int runs, int count) {
    nodes.start(count, "sei:v0");
    plain.start("n0", count, "sei:v0");
    for (int run = 1; run <= runs; run++) {
      edit(count, "sei:v" + run, how());
      if (nodes.inPlace()) {
        // An image that a pod has had is pulled for none.
        edit(count, "sei:v" + (run - 1), how() + ", image known to the machine");
      }
    }
    plain.deleteAll();
    nodes.deleteAll();
  }

  private void edit(int count, String image, String how) {
    double cpu = world.operator().cpuSeconds();
    Timed.Cost ours =
        Timed.cost(() -> nodes.setImageOfAll(count, image), () -> nodes.settledOn(image) == count);
    cpu = world.operator().cpuSeconds() - cpu;
    Timed.Cost theirs =
        Timed.cost(() -> plain.setImage(count, image), () -> plain.areReadyOn(count, image));
    String edited = count + " nodes edited at once" + how;
    addCost(edited, ours);
    table.add(edited + ", CPU seconds of the operator", cpu);
    addCost(count + " plain StatefulSets edited at once", theirs);
    String against = count + " nodes" + how + " against as many StatefulSets";
    table.add(against + ", ratio of time", ours.seconds() / theirs.seconds());
    table.add(
        against + ", ratio of CPU seconds of everything", ours.cpuSeconds() / theirs.cpuSeconds());
  }

  private void addCost(String what, Timed.Cost cost) {
    table.add(what + ", seconds", cost.seconds());
    table.add(what + ", CPU seconds of everything", cost.cpuSeconds());
  }

  /** A fleet brought to a new image. */
  void fleet(int runs, int replicas, String maxUnavailable) {
    fleet.create(replicas, "sei:v0", maxUnavailable);
    Timed.until(() -> fleet.isReadyOn(replicas, "sei:v0"));
    for (int run = 1; run <= runs; run++) {
      String image = "sei:v" + run;
      table.add(
          "fleet of " + replicas + ", maxUnavailable " + maxUnavailable + ", seconds",
          Timed.seconds(() -> fleet.setImage(image), () -> fleet.isReadyOn(replicas, image)));
    }
    fleet.delete();
  }

  /** Measures as many plain StatefulSets as a fleet has nodes, edited at once. */
  void plain(int runs, int count) {
    nodes.start(1, "sei:v0");
    plain.start("n0", count, "sei:v0");
    for (int run = 1; run <= runs; run++) {
      String image = "sei:v" + run;
      table.add(
          count + " plain StatefulSets, RollingUpdate, seconds",
          Timed.seconds(() -> plain.setImage(count, image), () -> plain.areReadyOn(count, image)));
    }
    plain.deleteAll();
    nodes.deleteAll();
  }
}
