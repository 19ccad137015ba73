package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;

/** A running node is held, and a held one released. */
final class HoldAndRelease extends NodeScenario {

  HoldAndRelease(World world) {
    super(world);
  }

  @Override
  String image() {
    return "sei:v0";
  }

  @Override
  public void begin() {
    rounds++;
    patch("{'spec':{'maintenance':{'hold':%s}}}".formatted(isHeld() ? "'Immediate'" : "null"));
  }

  @Override
  public void assertDone() {
    SeiNode node = node();
    SeiNodeStatus status = node.getStatus();
    assertThat(status.observedGeneration()).isEqualTo(node.getMetadata().getGeneration());
    assertThat(status.plan()).isNull();
    assertThat(Conditions.isTrue(status.conditions(), NodeConditionType.HELD)).isEqualTo(isHeld());
    if (!isHeld()) {
      world.assertSettled(NODE, image());
    }
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(NODE)).hasSize(1 + rounds);
    assertThat(world.executions(NODE, "mark-ready")).isEqualTo(1 + rounds / 2);
    world.assertNoTaskRanTwice(NODE);
  }

  private boolean isHeld() {
    return rounds % 2 == 1;
  }
}
