package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.SeiNode;

/** The data of a running node is wiped, and the node initialized again. */
final class ResetOfData implements Scenario {

  private static final String IMAGE = "sei:v0";

  private final World world;
  private long rounds;

  ResetOfData(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    UpdatePlan.createNode(world, IMAGE);
    World.eventually(() -> world.assertSettled(UpdatePlan.NODE, IMAGE));
  }

  @Override
  public void begin() {
    rounds++;
    world.patch(
        SeiNode.class, UpdatePlan.NODE, "{'spec':{'dataResetGeneration':%d}}".formatted(rounds));
  }

  @Override
  public void assertDone() {
    world.assertSettled(UpdatePlan.NODE, IMAGE);
    DataReset reset = world.node(UpdatePlan.NODE).getStatus().dataReset();
    assertThat(reset.generation()).isEqualTo(rounds);
    assertThat(reset.completedAt()).isNotNull();
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(UpdatePlan.NODE)).hasSize(1 + (int) rounds);
    assertThat(world.executions(UpdatePlan.NODE, "configure-genesis")).isEqualTo(1 + (int) rounds);
    world.assertNoTaskRanTwice(UpdatePlan.NODE);
  }
}
