package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

/** A fleet is given another image, and its nodes get it one after the other. */
final class FleetRollout extends FleetScenario {

  private int rounds;

  FleetRollout(World world) {
    super(world);
  }

  @Override
  public void prepare() {
    create(image());
  }

  @Override
  public void begin() {
    rounds++;
    patch("{'spec':{'template':{'spec':{'image':'%s'}}}}".formatted(image()));
  }

  @Override
  public void assertDone() {
    assertFleetOf(2, image());
  }

  @Override
  public void assertSound() {
    for (String node : new String[] {FIRST, SECOND}) {
      assertThat(world.pods(node)).as("pods of %s", node).hasSize(1 + rounds);
      assertThat(world.executions(node, "mark-ready")).isEqualTo(1 + rounds);
      world.assertNoTaskRanTwice(node);
    }
    // The highest ordinal goes first, and the other one only once it serves.
    var first = world.pods(FIRST);
    var second = world.pods(SECOND);
    assertThat(first.get(rounds).createdAt()).isAfter(second.get(rounds).createdAt());
    assertThat(world.operator().requests().deleted())
        .as("pods, and templates too old to be kept")
        .allMatch(path -> path.contains("/pods/") || path.contains("/controllerrevisions/"));
  }

  private String image() {
    return "sei:v" + rounds;
  }
}
