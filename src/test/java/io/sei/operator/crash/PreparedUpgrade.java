package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;

/** The image of a listed upgrade is pulled ahead. */
final class PreparedUpgrade implements Scenario {

  private final World world;
  private int rounds;

  PreparedUpgrade(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    UpdatePlan.createNode(world, "sei:v0");
    World.eventually(() -> world.assertSettled(UpdatePlan.NODE, "sei:v0"));
  }

  @Override
  public void begin() {
    rounds++;
    world.patch(
        SeiNode.class,
        UpdatePlan.NODE,
        "{'spec':{'upgrades':[{'name':'v1','height':100,'image':'%s'}]}}".formatted(image()));
  }

  @Override
  public void assertDone() {
    world.assertSettled(UpdatePlan.NODE, "sei:v0");
    assertThat(world.node(UpdatePlan.NODE).getStatus().upgrades())
        .singleElement()
        .matches(it -> it.state() == UpgradeState.READY)
        .extracting(UpgradeStatus::image)
        .isEqualTo(image());
    world.assertNothingIsPulled(UpdatePlan.NODE);
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(UpdatePlan.NODE)).hasSize(1);
  }

  private String image() {
    return "sei:next-" + rounds;
  }
}
