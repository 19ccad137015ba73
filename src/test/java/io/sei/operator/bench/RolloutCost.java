package io.sei.operator.bench;

import io.sei.operator.testkit.RequestLog;
import java.util.List;

/** API requests of the operator for one image rollout of one node, leases and watches left out. */
record RolloutCost(Nodes nodes, RequestLog requests, Table table) {

  void run(int runs) {
    nodes.create(1, "sei:v0");
    Timed.seconds(() -> {}, () -> nodes.areReadyOn(1, "sei:v0"));
    for (int run = 1; run <= runs; run++) {
      String image = "sei:v" + run;
      requests.clear();
      double seconds =
          Timed.seconds(() -> nodes.setImage(1, image), () -> nodes.areReadyOn(1, image));
      table.add("one node's image rollout, seconds", seconds);
      List<RequestLog.Request> all =
          requests.matching(request -> !request.path().contains("/leases"));
      table.add("API requests of one rollout", all.size());
      table.add(
          "API requests of one rollout, events left out",
          all.stream().filter(request -> !request.path().contains("/events")).count());
      if (run == runs) {
        all.forEach(request -> System.out.println("  " + request));
      }
    }
    nodes.deleteAll();
    Timed.seconds(() -> {}, nodes::areGone);
  }
}
