package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

/** One of a fleet's two nodes is no longer wanted. */
final class ScaleDown extends FleetScenario {

  private static final String IMAGE = "sei:a";

  private int rounds;
  private String unwanted;

  ScaleDown(World world) {
    super(world);
  }

  @Override
  public void prepare() {
    create(IMAGE);
    World.eventually(() -> assertFleetOf(2, IMAGE));
  }

  @Override
  public void begin() {
    rounds++;
    unwanted = world.node(SECOND).getMetadata().getUid();
    patch("{'spec':{'replicas':1}}");
  }

  @Override
  public void assertDone() {
    assertFleetOf(1, IMAGE);
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(FIRST)).as("pods of the node that stays").hasSize(1);
    assertThat(world.pods(SECOND)).hasSize(rounds);
    assertThat(world.operator().requests().deleted())
        .allMatch(path -> path.endsWith("/seinodes/" + SECOND));
    world.assertNoTaskRanTwice(FIRST);
  }

  @Override
  public void tidy() {
    patch("{'spec':{'replicas':2}}");
    World.eventually(
        () -> {
          assertThat(world.node(SECOND).getMetadata().getUid()).isNotEqualTo(unwanted);
          assertFleetOf(2, IMAGE);
        });
  }
}
