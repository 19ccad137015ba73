package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.testkit.samples.Samples;

/** A running node is given another configuration, for which seid is restarted. */
final class RestartByConfiguration implements Scenario {

  private static final String IMAGE = "sei:v1";

  private final World world;
  private int rounds;

  RestartByConfiguration(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    world
        .client()
        .resource(
            Samples.node(
                world.namespace(),
                UpdatePlan.NODE,
                SeiNodeSpecBuilder.builder()
                    .chainId("atlantic-2")
                    .image(IMAGE)
                    .fullNode(new FullNode(null, null))
                    .build()))
        .create();
    World.eventually(this::assertDone);
  }

  @Override
  public void begin() {
    rounds++;
    world.patch(
        SeiNode.class,
        UpdatePlan.NODE,
        "{'spec':{'overrides':{'mempool.size':'%d'}}}".formatted(rounds));
  }

  @Override
  public void assertDone() {
    world.assertSettled(UpdatePlan.NODE, IMAGE);
    assertThat(world.node(UpdatePlan.NODE).getStatus().unreadConfig()).isNull();
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(UpdatePlan.NODE)).as("one pod, in all rounds").hasSize(1);
    Pod pod =
        world.client().pods().inNamespace(world.namespace()).withName(UpdatePlan.NODE + "-0").get();
    assertThat(pod.getStatus().getContainerStatuses())
        .filteredOn(it -> it.getName().equals("seid"))
        .extracting(ContainerStatus::getRestartCount)
        .as("one start for each configuration")
        .containsExactly(rounds);
    assertThat(world.executions(UpdatePlan.NODE, SidecarTaskTypes.RESTART_SEID)).isEqualTo(rounds);
    world.assertNoTaskRanTwice(UpdatePlan.NODE);
  }
}
