package io.sei.operator.bench;

import io.sei.operator.dashboard.Browser;
import io.sei.operator.testkit.ServedDashboard;
import java.time.Duration;

/**
 * Costs of the page of {@code kubectl sei dashboard}, which are counts but for one: how long it
 * takes to show all nodes.
 *
 * @param count number of nodes
 * @param window how long the page watches nodes that do not change
 */
record PageCost(World world, Series series, int count, Duration window) {

  private static final Duration HOUR = Duration.ofHours(1);

  /** Long enough for the Events of the last change to arrive and be drawn. */
  private static final Duration QUIET = Duration.ofSeconds(10);

  private static final double MEBI = 1024.0 * 1024;

  /** Requests of the page, and bytes of their answers as it reads them. */
  private record Traffic(long requests, long bytes) {

    static Traffic of(Browser browser) {
      return new Traffic(
          browser.<Long>run("return counted.requests"), browser.<Long>run("return counted.bytes"));
    }

    Traffic since(Traffic earlier) {
      return new Traffic(requests - earlier.requests, bytes - earlier.bytes);
    }
  }

  /** Has a page count before its own scripts run. */
  private static final String COUNTING =
      """
      window.counted = { requests: 0, bytes: 0 };
      const fetched = window.fetch;
      window.fetch = async (...request) => {
        counted.requests += 1;
        const response = await fetched(...request);
        const count = new TransformStream({
          transform(chunk, stream) {
            counted.bytes += chunk.byteLength;
            stream.enqueue(chunk);
          },
        });
        return new Response(response.body?.pipeThrough(count), response);
      };
      """;

  void run() {
    var nodes = new Nodes(world);
    nodes.start(count, "sei:v0");
    try (ServedDashboard dashboard = world.dashboard();
        Browser browser = new Browser()) {
      browser.beforeEachPage(COUNTING);
      add(
          "until the page shows all nodes, seconds",
          Timed.seconds(
              () -> browser.open(dashboard.address()),
              () -> browser.all("#nodes tbody tr").size() == count));
      Timed.pass(QUIET);
      Traffic shown = Traffic.of(browser);
      add("requests until then", shown.requests());
      add("MiB read until then", shown.bytes() / MEBI);
      add("heap of the page, MiB", browser.heapBytes() / MEBI);
      Timed.pass(window);
      Traffic idle = Traffic.of(browser).since(shown);
      double windows = (double) HOUR.toMillis() / window.toMillis();
      add("an hour in which nothing changes, requests", idle.requests() * windows);
      add("an hour in which nothing changes, KiB read", idle.bytes() * windows / 1024);
      Traffic before = Traffic.of(browser);
      nodes.setImageOfAll(count, "sei:v1");
      Timed.until(() -> nodes.settledOn("sei:v1") == count);
      Timed.pass(QUIET);
      Traffic rolled = Traffic.of(browser).since(before);
      add("all nodes get another image, requests", rolled.requests());
      add("all nodes get another image, MiB read", rolled.bytes() / MEBI);
      add("heap of the page after it, MiB", browser.heapBytes() / MEBI);
    }
  }

  private void add(String what, double value) {
    series.add(what, count, value);
  }
}
