package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.task.Tasks;

/** A node is given an image by a task, once. */
final class ImageByTask extends NodeScenario {

  ImageByTask(World world) {
    super(world);
  }

  @Override
  public void begin() {
    rounds++;
    world.client().resource(Tasks.image(world.namespace(), name(), NODE, image())).create();
  }

  @Override
  public void assertDone() {
    assertThat(task().getStatus().finished()).isTrue();
    super.assertDone();
  }

  @Override
  public void assertSound() {
    assertThat(task().getStatus().phase()).isEqualTo(NodeTaskPhase.COMPLETE);
    assertThat(task().getStatus().outputs().updateNodeImage().appliedImage()).isEqualTo(image());
    assertThat(world.pods(NODE)).as("one pod for each image").hasSize(rounds + 1);
    world.assertNoTaskRanTwice(NODE);
  }

  private String name() {
    return "image-" + rounds;
  }

  private SeiNodeTask task() {
    return world.read(SeiNodeTask.class, name());
  }
}
