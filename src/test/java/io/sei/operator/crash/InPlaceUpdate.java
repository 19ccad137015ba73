package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.testkit.CoreResources;
import io.sei.operator.testkit.samples.Samples;

/**
 * A running node is given another image and, where pods can be resized, other resources, and asks
 * for updates in place.
 */
final class InPlaceUpdate implements Scenario {

  private final World world;
  private int rounds;

  InPlaceUpdate(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    world
        .client()
        .resource(
            Samples.node(
                world.namespace(),
                NodeScenario.NODE,
                SeiNodeSpecBuilder.builder()
                    .chainId("atlantic-2")
                    .image(image())
                    .fullNode(new FullNode(null, null))
                    .resources(
                        new ResourceRequirementsBuilder()
                            .addToRequests("cpu", new Quantity(cpu()))
                            .build())
                    .updatePolicy(new UpdatePolicy(UpdatePolicy.OfPod.IN_PLACE_IF_POSSIBLE, null))
                    .build()))
        .create();
    World.eventually(this::assertDone);
  }

  @Override
  public void begin() {
    rounds++;
    world.patch(
        SeiNode.class,
        NodeScenario.NODE,
        "{'spec':{'image':'%s','resources':{'requests':{'cpu':'%s'}}}}".formatted(image(), cpu()));
  }

  @Override
  public void assertDone() {
    world.assertSettled(NodeScenario.NODE, image());
    assertThat(world.node(NodeScenario.NODE).getStatus().updatePull()).isNull();
    world.assertNothingIsPulled(NodeScenario.NODE);
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(NodeScenario.NODE)).as("one pod, in all rounds").hasSize(1);
    Pod pod =
        world
            .client()
            .pods()
            .inNamespace(world.namespace())
            .withName(NodeScenario.NODE + "-0")
            .get();
    assertThat(pod.getSpec().getContainers().get(0).getImage()).isEqualTo(image());
    assertThat(pod.getSpec().getContainers().get(0).getResources().getRequests())
        .containsEntry("cpu", new Quantity(cpu()));
    assertThat(pod.getStatus().getContainerStatuses())
        .filteredOn(it -> it.getName().equals("seid"))
        .extracting(ContainerStatus::getRestartCount)
        .as("each image was started once")
        .containsExactly(rounds);
    assertThat(world.node(NodeScenario.NODE).getStatus().podUpdate().how()).isEqualTo(How.IN_PLACE);
    world.assertNoTaskRanTwice(NodeScenario.NODE);
  }

  private String cpu() {
    return CoreResources.canResizePods(world.client()) ? 100 + rounds + "m" : "100m";
  }

  private String image() {
    return "sei:v" + rounds;
  }
}
