package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.KillSwitch.Moment;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.SidecarVersion;
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
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The operator dies before and after every single one of its requests; another one finishes what it
 * began. Several operators do so at a time, each in a namespace of its own.
 */
@Order(1)
@RealControlPlane
class CrashSweepTest {

  private static final int LANES = 4;

  /** More than any scenario asks for. */
  private static final int MOST_REQUESTS = 150;

  /** The request that the short form of a sweep dies at: a plan has begun, and has not ended. */
  private static final int MIDDLE = 6;

  /** Middle of a sweep in which everything is done by then. */
  private static final int MIDDLE_OF_FEW = 2;

  /**
   * Middle of a sweep in which one request is refused and that is written: a class before
   * Kubernetes 1.34.
   */
  private static final int MIDDLE_OF_TWO = 1;

  private ControlPlane controlPlane;
  private String prefix;
  private SidecarSimulator sidecar;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace) {
    controlPlane = plane;
    prefix = namespace.name();
    sidecar = new SidecarSimulator().version(SidecarVersion.V0_0_70);
  }

  @AfterEach
  void cleanUp() {
    sidecar.close();
  }

  /** {@link TranscriptTest}, which compares them, is a long one. */
  @Test
  void everyScenarioHasATranscript() {
    assertThat(ScenarioKind.ALL)
        .extracting(TranscriptTest::file)
        .allSatisfy(path -> assertThat(path).exists());
  }

  static Stream<ScenarioKind> scenarios() {
    return ScenarioKind.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  @Tag("long")
  void resumes(ScenarioKind scenario) throws Exception {
    sweep(scenario);
  }

  /** Returns the scenarios of {@code make test}, or all. */
  static Stream<ScenarioKind> distinctScenarios() {
    return Cases.of(ScenarioKind.DISTINCT, ScenarioKind.ALL);
  }

  @ParameterizedTest
  @MethodSource("distinctScenarios")
  void resumesFromADeathInTheMiddle(ScenarioKind scenario) {
    Moment moment = Moment.values()[ScenarioKind.ALL.indexOf(scenario) % 2];
    try (var world = World.open(controlPlane, prefix + "-0", sidecar)) {
      Scenario begun = scenario.in().apply(world);
      begun.prepare();
      assertThat(
              crash(world, begun, MIDDLE, moment)
                  .or(() -> crash(world, begun, MIDDLE_OF_FEW, moment))
                  .or(() -> crash(world, begun, MIDDLE_OF_TWO, moment)))
          .as("died at a request")
          .isPresent();
    }
  }

  /** Lanes take turns at the requests. */
  private void sweep(ScenarioKind scenario) throws Exception {
    var threads = Executors.newFixedThreadPool(LANES);
    try {
      List<Future<?>> lanes =
          IntStream.range(0, LANES)
              .<Future<?>>mapToObj(first -> threads.submit(() -> runLane(first, scenario)))
              .toList();
      for (Future<?> lane : lanes) {
        lane.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void runLane(int first, ScenarioKind kind) {
    try (var world = World.open(controlPlane, prefix + "-" + first, sidecar)) {
      Scenario scenario = kind.in().apply(world);
      scenario.prepare();
      int request = first;
      while (crash(world, scenario, request)) {
        request += LANES;
        assertThat(request).as("requests").isLessThan(MOST_REQUESTS);
      }
    }
  }

  /**
   * Returns whether the operator got that far. A request that reads changes nothing, so death after
   * it is death before the next one.
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
      world.replaceOperator();
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
