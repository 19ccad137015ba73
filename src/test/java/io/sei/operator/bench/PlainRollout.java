package io.sei.operator.bench;

/** As many plain StatefulSets under RollingUpdate as a fleet has nodes, edited at once. */
record PlainRollout(PlainStatefulSets plain, Table table, int count) {

  void run(int runs) {
    Timed.seconds(() -> {}, plain::areGone);
    plain.create(count, "sei:v0");
    Timed.seconds(() -> {}, () -> plain.areReadyOn(count, "sei:v0"));
    for (int run = 1; run <= runs; run++) {
      String image = "sei:v" + run;
      table.add(
          count + " plain StatefulSets, RollingUpdate, seconds",
          Timed.seconds(() -> plain.setImage(count, image), () -> plain.areReadyOn(count, image)));
    }
    plain.deleteAll();
    Timed.seconds(() -> {}, plain::areGone);
  }
}
