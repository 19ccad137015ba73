package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.testkit.CoreResources;

/**
 * A running node is given another image and, where pods can be resized, other resources, and asks
 * for updates in place.
 */
final class InPlaceUpdate extends NodeScenario {

  InPlaceUpdate(World world) {
    super(world);
  }

  @Override
  SeiNodeSpec spec() {
    return super.spec()
        .withResources(
            new ResourceRequirementsBuilder().addToRequests("cpu", new Quantity(cpu())).build())
        .withUpdatePolicy(new UpdatePolicy(UpdatePolicy.OfPod.IN_PLACE_IF_POSSIBLE, null));
  }

  @Override
  public void begin() {
    rounds++;
    patch(
        "{'spec':{'image':'%s','resources':{'requests':{'cpu':'%s'}}}}".formatted(image(), cpu()));
  }

  @Override
  public void assertDone() {
    super.assertDone();
    world.assertNothingIsPulled();
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(NODE)).as("one pod, in all rounds").hasSize(1);
    Pod pod = world.client().pods().inNamespace(world.namespace()).withName(NODE + "-0").get();
    assertThat(pod.getSpec().getContainers().get(0).getImage()).isEqualTo(image());
    assertThat(pod.getSpec().getContainers().get(0).getResources().getRequests())
        .containsEntry("cpu", new Quantity(cpu()));
    assertThat(pod.getStatus().getContainerStatuses())
        .filteredOn(container -> container.getName().equals("seid"))
        .extracting(ContainerStatus::getRestartCount)
        .as("each image was started once")
        .containsExactly(rounds);
    assertThat(node().getStatus().podUpdate().how()).isEqualTo(How.IN_PLACE);
    world.assertNoTaskRanTwice(NODE);
  }

  private String cpu() {
    return CoreResources.canResizePods(world.client()) ? 100 + rounds + "m" : "100m";
  }
}
