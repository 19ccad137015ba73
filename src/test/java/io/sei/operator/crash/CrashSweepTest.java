package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.testkit.KillSwitch.Moment;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
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
  private static final int STRIDE = 29;

  private ControlPlane controlPlane;
  private KubernetesClient client;
  private String prefix;
  private SidecarSimulator sidecar;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace) {
    controlPlane = plane;
    client = plane.client();
    prefix = namespace.name();
    sidecar = new SidecarSimulator();
  }

  @AfterEach
  void cleanUp() {
    sidecar.close();
  }

  @Test
  void anUpdatePlanResumes() throws Exception {
    sweep(UpdatePlan::new, 1, LANES);
  }

  static Stream<Named<Function<World, Scenario>>> others() {
    return Stream.of(
        Named.of("an init plan", InitPlan::new),
        Named.of("a node from a snapshot", Restore::new),
        Named.of("a listed upgrade", ListedUpgrade::new),
        Named.of("a hold and its release", HoldAndRelease::new),
        Named.of("a reset of the data", ResetOfData::new),
        Named.of("the pull of its image", PreparedUpgrade::new),
        Named.of("a volume that grows", VolumeGrowth::new),
        Named.of("the replacement of an impostor", Impostor::new),
        Named.of("a scale-down", ScaleDown::new),
        Named.of("a snapshot", ScheduledSnapshot::new),
        Named.of("a rollout of a fleet", FleetRollout::new));
  }

  @ParameterizedTest
  @MethodSource("others")
  @Tag("long")
  void resumes(Function<World, Scenario> scenario) throws Exception {
    sweep(scenario, 1, LANES);
  }

  @ParameterizedTest
  @MethodSource("others")
  void resumesFromSomeDeaths(Function<World, Scenario> scenario) throws Exception {
    sweep(scenario, STRIDE, 1);
  }

  /** Lanes take turns at every {@code stride}th request. */
  private void sweep(Function<World, Scenario> scenario, int stride, int laneCount)
      throws Exception {
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

  private void runLane(int first, int stride, Function<World, Scenario> scenarios) {
    String namespace = prefix + "-" + first;
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    var operator =
        new OperatorHarness(
            controlPlane.config(ControlPlane.OPERATOR), namespace, sidecar.urlTemplate());
    var kubelet = KubeletSimulator.inNamespace(client, sidecar, namespace);
    var world = new World(namespace, client, kubelet, sidecar, operator);
    sidecar.countFor(namespace, operator.killSwitch());
    operator.start();
    try (kubelet;
        operator) {
      Scenario scenario = scenarios.apply(world);
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
