package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.render.Annotations;
import io.sei.operator.task.Tasks;

/** A task restarts seid of a fleet's node, once, after the fleet has granted that. */
final class RestartInFleet extends FleetScenario {

  private static final String IMAGE = "sei:v1";

  private int rounds;

  RestartInFleet(World world) {
    super(world);
  }

  @Override
  public void prepare() {
    create(IMAGE);
  }

  @Override
  public void begin() {
    rounds++;
    world.client().resource(Tasks.restart(world.namespace(), name(), SECOND)).create();
  }

  @Override
  public void assertDone() {
    assertThat(task().getStatus().finished()).isTrue();
    assertFleetOf(2, IMAGE);
  }

  @Override
  public void assertSound() {
    assertThat(task().getStatus().phase()).isEqualTo(NodeTaskPhase.COMPLETE);
    assertThat(restarts(FIRST)).isZero();
    assertThat(restarts(SECOND)).isEqualTo(rounds);
    assertThat(world.pods(SECOND)).hasSize(1);
    assertThat(
            Annotations.of(world.read(SeiNode.class, SECOND), Annotations.SEID_RESTART_REQUESTED))
        .isEmpty();
  }

  private int restarts(String node) {
    return world.read(Pod.class, node + "-0").getStatus().getContainerStatuses().stream()
        .filter(container -> container.getName().equals("seid"))
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }

  private String name() {
    return "restart-" + rounds;
  }

  private SeiNodeTask task() {
    return world.read(SeiNodeTask.class, name());
  }
}
