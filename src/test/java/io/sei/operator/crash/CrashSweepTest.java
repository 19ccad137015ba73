package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.KillSwitch.Moment;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The operator dies before and after every single one of its requests; another one finishes what it
 * began. Several operators do so at a time, each in a namespace of its own.
 */
@RealControlPlane
class CrashSweepTest {

  private static final int LANES = 4;

  /** More than any scenario asks for. */
  private static final int MOST_REQUESTS = 150;

  /** Deaths between two that the short form of a sweep tries. */
  private static final int STRIDE = 41;

  private ControlPlane controlPlane;
  private String prefix;
  private SidecarSimulator sidecar;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace) {
    controlPlane = plane;
    prefix = namespace.name();
    sidecar = new SidecarSimulator();
  }

  @AfterEach
  void cleanUp() {
    sidecar.close();
  }

  @Test
  void anUpdatePlanResumes() throws Exception {
    sweep(ScenarioKind.UPDATE_PLAN, 1, LANES);
  }

  static Stream<ScenarioKind> others() {
    return ScenarioKind.OTHERS.stream();
  }

  @ParameterizedTest
  @MethodSource("others")
  @Tag("long")
  void resumes(ScenarioKind scenario) throws Exception {
    sweep(scenario, 1, LANES);
  }

  @ParameterizedTest
  @MethodSource("others")
  void resumesFromSomeDeaths(ScenarioKind scenario) throws Exception {
    sweep(scenario, STRIDE, 1);
  }

  /** Lanes take turns at every {@code stride}th request. */
  private void sweep(ScenarioKind scenario, int stride, int laneCount) throws Exception {
    var threads = Executors.newFixedThreadPool(laneCount);
    try {
      List<Future<?>> lanes =
          IntStream.range(0, laneCount)
              .<Future<?>>mapToObj(
                  first -> threads.submit(() -> runLane(first, stride * laneCount, scenario)))
              .toList();
      for (Future<?> lane : lanes) {
        lane.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void runLane(int first, int stride, ScenarioKind kind) {
    try (var world = World.open(controlPlane, prefix + "-" + first, sidecar)) {
      Scenario scenario = kind.in().apply(world);
      scenario.prepare();
      int request = first;
      while (crash(world, scenario, request)) {
        request += stride;
        assertThat(request).as("requests").isLessThan(MOST_REQUESTS);
      }
    }
  }

  /**
   * Whether the operator got that far. A request that reads changes nothing, so death after it is
   * death before the next one.
   */
  private static boolean crash(World world, Scenario scenario, int survived) {
    Optional<String> last = crash(world, scenario, survived, Moment.BEFORE);
    if (last.filter(request -> !request.startsWith("GET ")).isPresent()) {
      crash(world, scenario, survived, Moment.AFTER);
    }
    return last.isPresent();
  }

  /** The request the operator died at, if it got that far. */
  private static Optional<String> crash(
      World world, Scenario scenario, int survived, Moment moment) {
    var killSwitch = world.killSwitch();
    killSwitch.arm(survived, moment);
    scenario.begin();
    World.eventually(
        () -> {
          if (!killSwitch.hasStruck()) {
            scenario.assertDone();
          }
        });
    Optional<String> last = Optional.ofNullable(killSwitch.lastRequest());
    String where =
        "%s in %s, death %s request %d, %s"
            .formatted(
                scenario.getClass().getSimpleName(),
                world.namespace(),
                moment,
                survived,
                last.orElse("none"));
    if (last.isPresent()) {
      world.operator().stop();
      killSwitch.disarm();
      world.operator().start();
    } else {
      killSwitch.disarm();
    }
    try {
      World.eventually(scenario::assertDone);
      scenario.assertSound();
    } catch (Throwable e) {
      throw new AssertionError(where, e);
    }
    scenario.tidy();
    return last;
  }
}
