package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;

/** The image of a listed upgrade is pulled ahead. */
final class PreparedUpgrade extends NodeScenario {

  PreparedUpgrade(World world) {
    super(world);
  }

  @Override
  String image() {
    return "sei:v0";
  }

  @Override
  public void begin() {
    rounds++;
    patch("{'spec':{'upgrades':[{'name':'v1','height':100,'image':'%s'}]}}".formatted(next()));
  }

  @Override
  public void assertDone() {
    world.assertSettled(NODE, image());
    assertThat(node().getStatus().upgrades())
        .singleElement()
        .matches(upgrade -> upgrade.state() == UpgradeState.READY)
        .extracting(UpgradeStatus::image)
        .isEqualTo(next());
    world.assertNothingIsPulled();
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(NODE)).hasSize(1);
  }

  private String next() {
    return "sei:next-" + rounds;
  }
}
