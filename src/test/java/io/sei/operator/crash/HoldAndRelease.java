package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;

/** A running node is held, and a held one released. */
final class HoldAndRelease implements Scenario {

  private static final String IMAGE = "sei:v0";

  private final World world;
  private int rounds;

  HoldAndRelease(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    UpdatePlan.createNode(world, IMAGE);
    World.eventually(this::assertDone);
  }

  @Override
  public void begin() {
    rounds++;
    world.patch(
        SeiNode.class,
        UpdatePlan.NODE,
        "{'spec':{'maintenance':{'hold':%s}}}".formatted(isHeld() ? "'Immediate'" : "null"));
  }

  @Override
  public void assertDone() {
    SeiNode node = world.node(UpdatePlan.NODE);
    SeiNodeStatus status = node.getStatus();
    assertThat(status.observedGeneration()).isEqualTo(node.getMetadata().getGeneration());
    assertThat(status.plan()).isNull();
    assertThat(Conditions.isTrue(status.conditions(), NodeConditionType.HELD)).isEqualTo(isHeld());
    if (!isHeld()) {
      world.assertSettled(UpdatePlan.NODE, IMAGE);
    }
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(UpdatePlan.NODE)).hasSize(1 + rounds);
    assertThat(world.executions(UpdatePlan.NODE, "mark-ready")).isEqualTo(1 + rounds / 2);
    world.assertNoTaskRanTwice(UpdatePlan.NODE);
  }

  private boolean isHeld() {
    return rounds % 2 == 1;
  }
}
