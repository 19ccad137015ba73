package io.sei.operator.bench;

/** A fleet brought to a new image. */
record FleetRollout(Fleet fleet, Nodes nodes, Table table, int replicas, String maxUnavailable) {

  void run(int runs) {
    fleet.create(replicas, "sei:v0", maxUnavailable);
    Timed.seconds(() -> {}, () -> fleet.isReadyOn(replicas, "sei:v0"));
    for (int run = 1; run <= runs; run++) {
      String image = "sei:v" + run;
      table.add(
          "fleet of " + replicas + ", maxUnavailable " + maxUnavailable + ", seconds",
          Timed.seconds(() -> fleet.setImage(image), () -> fleet.isReadyOn(replicas, image)));
    }
    fleet.delete();
    Timed.seconds(() -> {}, nodes::areGone);
  }
}
