package io.sei.operator.bench;

/** Many nodes edited at once, next to as many plain StatefulSets under RollingUpdate. */
record ManyAtOnce(Nodes nodes, PlainStatefulSets plain, Table table, int count) {

  void run(int runs) {
    nodes.create(count, "sei:v0");
    table.add(
        count + " nodes from nothing to Running, seconds",
        Timed.seconds(() -> {}, () -> nodes.areReadyOn(count, "sei:v0")));
    plain.create(count, "sei:v0");
    Timed.seconds(() -> {}, () -> plain.areReadyOn(count, "sei:v0"));
    for (int run = 1; run <= runs; run++) {
      String image = "sei:v" + run;
      double ours =
          Timed.seconds(() -> nodes.setImage(count, image), () -> nodes.areReadyOn(count, image));
      double theirs =
          Timed.seconds(() -> plain.setImage(count, image), () -> plain.areReadyOn(count, image));
      table.add(count + " nodes edited at once, seconds", ours);
      table.add(count + " plain StatefulSets edited at once, seconds", theirs);
      table.add(count + " nodes against as many StatefulSets, ratio", ours / theirs);
    }
    nodes.deleteAll();
    plain.deleteAll();
    Timed.seconds(() -> {}, nodes::areGone);
  }
}
