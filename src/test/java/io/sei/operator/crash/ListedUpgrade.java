package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import java.util.List;

/** The seid of a running node halts for an upgrade that its spec lists. */
final class ListedUpgrade extends NodeScenario {

  private int halted;

  ListedUpgrade(World world) {
    super(world);
  }

  @Override
  public void begin() {
    rounds++;
    patch(
        "{'spec':{'upgrades':[{'name':'%s','height':%d,'image':'%s'}]}}"
            .formatted(name(), rounds, image()));
  }

  @Override
  public void assertDone() {
    haltOnceListed();
    world.assertSettled(NODE, image());
    world.assertNothingIsPulled();
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(NODE)).hasSize(1 + rounds);
    SeiNode node = node();
    assertThat(node.getSpec().image()).isEqualTo("sei:v0");
    assertThat(node.getStatus().upgrades())
        .hasSize(rounds)
        .allMatch(upgrade -> upgrade.state() == UpgradeState.APPLIED)
        .last()
        .extracting(UpgradeStatus::name, UpgradeStatus::height)
        .containsExactly(name(), (long) rounds);
  }

  /** While the image is being pulled, if no crash is in between. */
  private void haltOnceListed() {
    List<UpgradeStatus> listed = node().getStatus().upgrades();
    if (halted < rounds
        && listed != null
        && listed.stream().anyMatch(upgrade -> upgrade.name().equals(name()))) {
      world.kubelet().halt(world.namespace(), NODE + "-0", name(), rounds);
      halted = rounds;
    }
  }

  private String name() {
    return "v" + rounds;
  }
}
