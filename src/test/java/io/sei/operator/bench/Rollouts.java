package io.sei.operator.bench;

import io.sei.operator.testkit.AuditLog;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What rollouts cost and take, next to plain StatefulSets under RollingUpdate in the same run. */
record Rollouts(World world, Nodes nodes, Fleet fleet, PlainStatefulSets plain, Table table) {

  Rollouts(World world, Table table) {
    this(world, new Nodes(world), new Fleet(world), new PlainStatefulSets(world), table);
  }

  /** API requests of one node's image rollout, by verb and resource. */
  void cost(int runs) {
    nodes.create(0, 1, "sei:v0");
    Timed.until(() -> nodes.settledOn("sei:v0") == 1);
    for (int run = 1; run <= runs; run++) {
      String image = "sei:v" + run;
      Instant begin = Instant.now();
      table.add(
          "one node, image rollout, seconds",
          Timed.seconds(() -> nodes.setImage(0, image), () -> nodes.settledOn(image) == 1));
      Map<String, Long> requests =
          world.asked(begin).stream()
              .collect(Collectors.groupingBy(Rollouts::kind, TreeMap::new, Collectors.counting()));
      requests.forEach((kind, count) -> table.add("one node, API requests, " + kind, count));
      table.add(
          "one node, API requests, all but events",
          requests.entrySet().stream()
              .filter(entry -> !entry.getKey().endsWith(" events"))
              .mapToLong(Map.Entry::getValue)
              .sum());
    }
    nodes.deleteAll();
  }

  private static String kind(AuditLog.Request request) {
    return request.verb() + " " + request.resource();
  }

  /** Many nodes edited at once. */
  void manyAtOnce(int runs, int count) {
    nodes.create(0, count, "sei:v0");
    Timed.until(() -> nodes.settledOn("sei:v0") == count);
    plain.create(count, "sei:v0");
    Timed.until(() -> plain.areReadyOn(count, "sei:v0"));
    for (int run = 1; run <= runs; run++) {
      String image = "sei:v" + run;
      double cpu = world.operator().cpuSeconds();
      double ours =
          Timed.seconds(
              () -> nodes.setImageOfAll(count, image), () -> nodes.settledOn(image) == count);
      cpu = world.operator().cpuSeconds() - cpu;
      double theirs =
          Timed.seconds(() -> plain.setImage(count, image), () -> plain.areReadyOn(count, image));
      table.add(count + " nodes edited at once, seconds", ours);
      table.add(count + " nodes edited at once, CPU seconds of the operator", cpu);
      table.add(count + " plain StatefulSets edited at once, seconds", theirs);
      table.add(count + " nodes against as many StatefulSets, ratio", ours / theirs);
    }
    plain.deleteAll();
    nodes.deleteAll();
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

  /** As many plain StatefulSets as a fleet has nodes, edited at once. */
  void plain(int runs, int count) {
    plain.create(count, "sei:v0");
    Timed.until(() -> plain.areReadyOn(count, "sei:v0"));
    for (int run = 1; run <= runs; run++) {
      String image = "sei:v" + run;
      table.add(
          count + " plain StatefulSets, RollingUpdate, seconds",
          Timed.seconds(() -> plain.setImage(count, image), () -> plain.areReadyOn(count, image)));
    }
    plain.deleteAll();
  }
}
