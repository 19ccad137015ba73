package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

/** A running node is given another configuration, for which seid is restarted. */
final class RestartByConfiguration extends NodeScenario {

  RestartByConfiguration(World world) {
    super(world);
  }

  @Override
  String image() {
    return "sei:v1";
  }

  @Override
  public void begin() {
    rounds++;
    patch("{'spec':{'overrides':{'mempool.size':'%d'}}}".formatted(rounds));
  }

  @Override
  public void assertDone() {
    super.assertDone();
    assertThat(node().getStatus().unreadConfig()).isNull();
  }

  @Override
  public void assertSound() {
    assertSeidWasRestartedInEachRound();
  }
}
