package io.sei.operator.soak;

import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A short soak; {@code make soak} runs a long one. */
@RealControlPlane
class SoakTest {

  private static final long SEED = 7;

  @Test
  void nothingIsLostOrDoubledInBadWeather(ControlPlane plane) {
    try (var world = new SoakWorld(plane, "soak-short")) {
      var weather = new Weather(world, Duration.ofSeconds(5), false);
      new SoakRun(world, SEED, weather, line -> {}).run(Duration.ofSeconds(20));
    }
  }
}
