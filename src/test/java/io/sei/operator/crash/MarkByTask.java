package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.task.Tasks;

/** A task waits until seid may run; it marks nothing by itself. */
final class MarkByTask extends NodeScenario {

  MarkByTask(World world) {
    super(world);
  }

  @Override
  String image() {
    return "sei:v1";
  }

  @Override
  public void begin() {
    rounds++;
    world.client().resource(Tasks.ready(world.namespace(), name(), NODE)).create();
  }

  @Override
  public void assertDone() {
    assertThat(task().getStatus().finished()).isTrue();
  }

  @Override
  public void assertSound() {
    assertThat(task().getStatus().phase()).isEqualTo(NodeTaskPhase.COMPLETE);
    assertThat(world.executions(NODE, "mark-ready")).isEqualTo(1);
  }

  private String name() {
    return "ready-" + rounds;
  }

  private SeiNodeTask task() {
    return world.read(SeiNodeTask.class, name());
  }
}
