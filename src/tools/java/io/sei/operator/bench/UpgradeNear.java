package io.sei.operator.bench;

import io.sei.operator.api.v1alpha1.FleetChain;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;

/**
 * Counts how often the status of idle fleets is written while the next upgrade of their chain is
 * less than a day away, and beside them of fleets whose chain has it days ahead.
 *
 * @param fleets how many of each, of one node each
 */
record UpgradeNear(World world, Series series, int fleets) {

  private static final String NEAR = "atlantic-2";
  private static final String FAR = "pacific-1";
  private static final Duration WINDOW = Duration.ofMinutes(30);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String IMAGE = "sei:v0";

  void run() {
    // The simulated chains make two blocks a second: 14 hours and six days.
    world.chains().chain(NEAR).plan("v2", 100_000, "");
    world.chains().chain(FAR).plan("v2", 1_000_000, "");
    create(NEAR);
    create(FAR);
    Timed.until(() -> world.fleets().stream().filter(UpgradeNear::isSettled).count() == 2 * fleets);
    // Its rate, and with it the time of an upgrade, is known from the second answer on.
    Timed.until(() -> world.fleets().stream().filter(UpgradeNear::followsChain).count() == fleets);
    Instant begin = Instant.now();
    Timed.pass(WINDOW);
    series.add(
        "status writes of a fleet in an hour, upgrade near", 2 * fleets, writes(NEAR, begin));
    series.add("the same, upgrade days ahead", 2 * fleets, writes(FAR, begin));
  }

  private void create(String chain) {
    IntStream.range(0, fleets)
        .forEach(
            i -> {
              String name = chain + "-" + i;
              world.chains().runs(World.NAMESPACE, name + "-0", chain);
              new Fleet(world, name, chain).create(1, IMAGE, "1");
            });
  }

  private static boolean isSettled(SeiNodeDeployment fleet) {
    return Fleet.isReadyOn(fleet.getStatus(), 1, IMAGE);
  }

  private static boolean followsChain(SeiNodeDeployment fleet) {
    FleetChain chain = fleet.getStatus().chain();
    return chain != null && chain.isUpgradeNear(Instant.now());
  }

  private double writes(String chain, Instant since) {
    long writes =
        world.asked(since).stream()
            .filter(request -> request.resource().equals("seinodedeployments/status"))
            .filter(request -> request.name().startsWith(chain))
            .count();
    return (double) writes / fleets * HOUR.dividedBy(WINDOW);
  }
}
