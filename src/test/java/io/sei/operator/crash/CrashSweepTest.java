package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.kube.KubernetesClients;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The operator dies before and after every single one of its requests; another one finishes what it
 * began. Several operators do so at a time, each in a namespace of its own.
 */
@RealControlPlane
class CrashSweepTest {

  private static final int LANES = 4;

  /** More than any scenario asks for. */
  private static final int MOST_REQUESTS = 150;

  private ControlPlane controlPlane;
  private KubernetesClient client;
  private String prefix;
  private SidecarSimulator sidecar;
  private KubeletSimulator kubelet;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace) {
    controlPlane = plane;
    client = KubernetesClients.create(plane.config(ControlPlane.ADMIN));
    prefix = namespace.name();
    CrdFile.installAll(client);
    sidecar = new SidecarSimulator();
    kubelet = new KubeletSimulator(client, sidecar);
  }

  @AfterEach
  void cleanUp() {
    kubelet.close();
    sidecar.close();
    client.close();
  }

  @Test
  void anInitPlanResumes() throws Exception {
    sweep(InitPlan::new);
  }

  @Test
  void anUpdatePlanResumes() throws Exception {
    sweep(UpdatePlan::new);
  }

  @Test
  void theReplacementOfAnImpostorResumes() throws Exception {
    sweep(Impostor::new);
  }

  @Test
  void aScaleDownResumes() throws Exception {
    sweep(ScaleDown::new);
  }

  @Test
  void aFleetRolloutResumes() throws Exception {
    sweep(FleetRollout::new);
  }

  /** Each lane takes every {@link #LANES}th request. */
  private void sweep(Function<World, Scenario> scenario) throws Exception {
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

  private void runLane(int first, Function<World, Scenario> scenarios) {
    String namespace = prefix + "-" + first;
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    var operator =
        new OperatorHarness(
            controlPlane.config(ControlPlane.OPERATOR), namespace, sidecar.urlTemplate());
    var world = new World(namespace, client, kubelet, sidecar, operator);
    sidecar.countFor(namespace, operator.killSwitch());
    operator.start();
    try {
      Scenario scenario = scenarios.apply(world);
      scenario.prepare();
      int request = first;
      while (crash(world, scenario, request)) {
        request += LANES;
        assertThat(request).as("requests").isLessThan(MOST_REQUESTS);
      }
    } finally {
      delete(world, SeiNodeDeployment.class);
      delete(world, SeiNode.class);
      operator.close();
      client.namespaces().withName(namespace).delete();
    }
  }

  private static <T extends HasMetadata> void delete(World world, Class<T> type) {
    var all = world.client().resources(type).inNamespace(world.namespace());
    all.delete();
    World.eventually(() -> assertThat(all.list().getItems()).isEmpty());
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
