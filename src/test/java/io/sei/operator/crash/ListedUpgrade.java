package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import java.util.List;

/** The seid of a running node halts for an upgrade that its spec lists. */
final class ListedUpgrade implements Scenario {

  private final World world;
  private int rounds;
  private int halted;

  ListedUpgrade(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    UpdatePlan.createNode(world, image());
    World.eventually(this::assertDone);
  }

  @Override
  public void begin() {
    rounds++;
    world.patch(
        SeiNode.class,
        UpdatePlan.NODE,
        "{'spec':{'upgrades':[{'name':'%s','height':%d,'image':'%s'}]}}"
            .formatted(name(), rounds, image()));
  }

  @Override
  public void assertDone() {
    haltOnceListed();
    world.assertSettled(UpdatePlan.NODE, image());
    world.assertNothingIsPulled(UpdatePlan.NODE);
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(UpdatePlan.NODE)).hasSize(1 + rounds);
    SeiNode node = world.node(UpdatePlan.NODE);
    assertThat(node.getSpec().image()).isEqualTo("sei:v0");
    assertThat(node.getStatus().upgrades())
        .hasSize(rounds)
        .allMatch(it -> it.state() == UpgradeState.APPLIED)
        .last()
        .extracting(UpgradeStatus::name, UpgradeStatus::height)
        .containsExactly(name(), (long) rounds);
  }

  /** While the image is being pulled, if no crash is in between. */
  private void haltOnceListed() {
    List<UpgradeStatus> listed = world.node(UpdatePlan.NODE).getStatus().upgrades();
    if (halted < rounds
        && listed != null
        && listed.stream().anyMatch(it -> it.name().equals(name()))) {
      world.kubelet().halt(world.namespace(), UpdatePlan.NODE + "-0", name(), rounds);
      halted = rounds;
    }
  }

  private String name() {
    return "v" + rounds;
  }

  private String image() {
    return "sei:v" + rounds;
  }
}
