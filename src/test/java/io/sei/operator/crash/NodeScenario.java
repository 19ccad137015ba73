package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.testkit.samples.Samples;

/** A node that runs, whatever is done with it. */
abstract class NodeScenario implements Scenario {

  static final String NODE = "node";

  final World world;
  int rounds;

  NodeScenario(World world) {
    this.world = world;
  }

  /** The image that the node runs after so many rounds. */
  String image() {
    return "sei:v" + rounds;
  }

  /** Returns the spec of the node at its creation. */
  SeiNodeSpec spec() {
    return Samples.fullNode(image());
  }

  @Override
  public void prepare() {
    world.client().resource(Samples.node(world.namespace(), NODE, spec())).create();
    World.eventually(() -> world.assertSettled(NODE, image()));
  }

  @Override
  public void assertDone() {
    world.assertSettled(NODE, image());
  }

  void patch(String patch) {
    world.patch(SeiNode.class, NODE, patch);
  }

  SeiNode node() {
    return world.node(NODE);
  }

  /** Seid began again in its pod, once in each round. */
  final void assertSeidWasRestartedInEachRound() {
    assertThat(world.pods(NODE)).as("one pod, in all rounds").hasSize(1);
    Pod pod = world.client().pods().inNamespace(world.namespace()).withName(NODE + "-0").get();
    assertThat(pod.getStatus().getContainerStatuses())
        .filteredOn(container -> container.getName().equals("seid"))
        .extracting(ContainerStatus::getRestartCount)
        .as("one start in each round")
        .containsExactly(rounds);
    assertThat(world.executions(NODE, SidecarTaskTypes.RESTART_SEID)).isEqualTo(rounds);
    world.assertNoTaskRanTwice(NODE);
  }
}
