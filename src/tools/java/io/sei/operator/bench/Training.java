package io.sei.operator.bench;

import java.util.List;
import java.util.Map;

/**
 * Has the operator do once what it does all its life, so that Java can archive what it loads for
 * it. To be run by {@code hack/runtime.sh}, with the operator's command as arguments.
 */
public final class Training {

  private static final int NODES = 3;
  private static final String FIRST = "sei:v0";
  private static final String NEXT = "sei:v1";

  private Training() {}

  /** Returns when the operator has ended by itself. */
  public static void main(String[] command) {
    try (var world = new World(NODES)) {
      var operator =
          world.startOperator(List.of(command), Map.of("POD_NAMESPACE", World.NAMESPACE));
      var nodes = new Nodes(world);
      var fleet = new Fleet(world);
      nodes.create(0, NODES, FIRST);
      fleet.create(2, FIRST, "1");
      Timed.until(() -> fleet.isReadyOn(2, FIRST) && nodes.settledOn(FIRST) == NODES + 2);
      nodes.setImageOfAll(NODES, NEXT);
      fleet.setImage(NEXT);
      Timed.until(() -> fleet.isReadyOn(2, NEXT) && nodes.settledOn(NEXT) == NODES + 2);
      Timed.until(() -> operator.isReady() && !operator.metrics().isEmpty());
      // Not by close(), which would not wait for the archive.
      ProcessHandle process = ProcessHandle.of(operator.pid()).orElseThrow();
      process.destroy();
      process.onExit().join();
    }
    System.exit(0);
  }
}
