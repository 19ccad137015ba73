package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.DataReset;

/** The data of a running node is wiped, and the node initialized again. */
final class ResetOfData extends NodeScenario {

  ResetOfData(World world) {
    super(world);
  }

  @Override
  String image() {
    return "sei:v0";
  }

  @Override
  public void begin() {
    rounds++;
    patch("{'spec':{'dataResetGeneration':%d}}".formatted(rounds));
  }

  @Override
  public void assertDone() {
    world.assertSettled(NODE, image());
    DataReset reset = node().getStatus().dataReset();
    assertThat(reset.generation()).isEqualTo(rounds);
    assertThat(reset.completedAt()).isNotNull();
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(NODE)).hasSize(1 + rounds);
    assertThat(world.executions(NODE, "configure-genesis")).isEqualTo(1 + rounds);
    world.assertNoTaskRanTwice(NODE);
  }
}
