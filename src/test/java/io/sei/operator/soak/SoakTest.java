package io.sei.operator.soak;

import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A short soak; {@code make soak} runs a long one. */
@RealControlPlane
class SoakTest {

  private static final long SEED = 7;

  @Test
  void nothingIsLostOrDoubledInBadWeather(ControlPlane plane) {
    List<String> story = new ArrayList<>();
    try (var world = new SoakWorld(plane, "soak-short")) {
      var weather = new Weather(world, Duration.ofSeconds(5), false);
      var administrators = new Administrators(world, false);
      new SoakRun(world, SEED, administrators, weather, story::add).run(Duration.ofSeconds(10));
    } catch (Throwable e) {
      throw new AssertionError("after " + String.join("\n", story), e);
    }
  }
}
