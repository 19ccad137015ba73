package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.task.Tasks;

/** A task restarts seid, once. */
final class RestartByTask extends NodeScenario {

  RestartByTask(World world) {
    super(world);
  }

  @Override
  String image() {
    return "sei:v1";
  }

  @Override
  public void begin() {
    rounds++;
    world.client().resource(Tasks.restart(world.namespace(), name(), NODE)).create();
  }

  @Override
  public void assertDone() {
    assertThat(task().getStatus().finished()).isTrue();
    super.assertDone();
  }

  @Override
  public void assertSound() {
    assertThat(task().getStatus().phase()).isEqualTo(NodeTaskPhase.COMPLETE);
    assertSeidWasRestartedInEachRound();
  }

  private String name() {
    return "restart-" + rounds;
  }

  private SeiNodeTask task() {
    return world.read(SeiNodeTask.class, name());
  }
}
