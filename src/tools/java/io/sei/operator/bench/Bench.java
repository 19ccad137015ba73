package io.sei.operator.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Measures the operator on a real control plane with simulated kubelet and sidecars, side by side
 * with plain StatefulSets in the same run. Tables go to standard output, tables and plots to
 * target/bench.
 *
 * <p>Arguments: how often each measurement is repeated, and after it the numbers of nodes to
 * measure with, each on a control plane of its own.
 */
public final class Bench {

  private static final Path DIRECTORY = Path.of("target", "bench");
  static final int MANY = 50;
  private static final int FLEET = 20;

  /** Nodes of one namespace whose sidecars are slow, beside the nodes of another one. */
  private static final int SLOW = 1000;

  /** Nodes of one namespace, of which four in five have a sidecar that does not answer. */
  private static final int BESIDE_DEAD = 100;

  /** Fleets of each of two chains, of which one is near an upgrade. */
  private static final int FLEETS = 10;

  /** Nodes that the dashboard shows. */
  private static final int SHOWN = 300;

  /** Three watches, each of which the page renews every 290 seconds. */
  private static final Duration WATCHED = Duration.ofMinutes(15);

  private Bench() {}

  /** Runs every measurement. */
  public static void main(String[] args) throws IOException {
    int runs = Integer.parseInt(args[0]);
    List<Integer> sizes = Arrays.stream(args).skip(1).map(Integer::parseInt).toList();
    var table = new Table();
    rollouts(table, runs);
    write("rollouts.md", table::print);
    var series = new Series();
    for (int size : sizes) {
      for (int run = 1; run <= runs; run++) {
        scale(series, size);
        // After each, since a run with a thousand nodes takes minutes, and may be the last.
        write("scale.md", series::print);
        plot(series);
      }
    }
    var slow = new Series();
    for (int run = 1; run <= runs; run++) {
      slowSidecars(slow);
      write("slow-sidecars.md", slow::print);
    }
    var near = new Series();
    upgradeNear(near);
    write("upgrade-near.md", near::print);
    var page = new Series();
    page(page);
    write("page.md", page::print);
    table.print(System.out);
    series.print(System.out);
    slow.print(System.out);
    near.print(System.out);
    page.print(System.out);
    System.exit(0);
  }

  private static void plot(Series series) throws IOException {
    series.write(DIRECTORY.resolve(ScalePlots.MEASUREMENTS));
    for (var plot : ScalePlots.of(series).entrySet()) {
      Files.writeString(DIRECTORY.resolve(plot.getKey()), plot.getValue().svg());
    }
  }

  private static void rollouts(Table table, int runs) {
    try (var world = new World(MANY)) {
      System.out.println(world.description());
      world.startOperator();
      var rollouts = new Rollouts(world, table, false);
      for (var each : List.of(rollouts, new Rollouts(world, table, true))) {
        each.cost(runs, 1);
        each.cost(runs, MANY);
        each.manyAtOnce(runs, MANY);
      }
      for (String maxUnavailable : List.of("1", "25%", "100%")) {
        rollouts.fleet(runs, FLEET, maxUnavailable);
      }
      rollouts.plain(runs, FLEET);
    }
  }

  private static void scale(Series series, int size) {
    try (var world = new World(size)) {
      System.out.println(size + " nodes: " + world.description());
      world.startOperator();
      new Scale(world, series, size).run();
    }
  }

  private static void slowSidecars(Series series) {
    try (var world = new World(SLOW)) {
      world.startOperator();
      SlowSidecars.ofAnotherNamespace(world, series, SLOW);
    }
    try (var world = new World(BESIDE_DEAD)) {
      world.startOperator();
      SlowSidecars.ofItsOwn(world, series, BESIDE_DEAD);
    }
  }

  /** Measured once, whatever the number of runs: the rate follows from intervals, not from load. */
  static void upgradeNear(Series series) {
    try (var world = new World(2 * FLEETS)) {
      world.startOperator();
      new UpgradeNear(world, series, FLEETS).run();
    }
  }

  /** Measured once, since all but one of its figures are counts. */
  static void page(Series series) {
    try (var world = new World(SHOWN)) {
      world.startOperator();
      new PageCost(world, series, SHOWN, WATCHED).run();
    }
  }

  /** Writes a file beside the others of the benchmarks. */
  static void write(String file, Consumer<PrintStream> content) throws IOException {
    Files.createDirectories(DIRECTORY);
    try (var out = new PrintStream(Files.newOutputStream(DIRECTORY.resolve(file)))) {
      content.accept(out);
    }
  }
}
