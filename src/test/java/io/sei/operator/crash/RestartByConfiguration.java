package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.progression.SidecarTaskTypes;

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
    assertThat(world.pods(NODE)).as("one pod, in all rounds").hasSize(1);
    Pod pod = world.client().pods().inNamespace(world.namespace()).withName(NODE + "-0").get();
    assertThat(pod.getStatus().getContainerStatuses())
        .filteredOn(it -> it.getName().equals("seid"))
        .extracting(ContainerStatus::getRestartCount)
        .as("one start for each configuration")
        .containsExactly(rounds);
    assertThat(world.executions(NODE, SidecarTaskTypes.RESTART_SEID)).isEqualTo(rounds);
    world.assertNoTaskRanTwice(NODE);
  }
}
