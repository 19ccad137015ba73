package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.TestStorageClass;

/** The volume of a running node is to grow. */
final class VolumeGrowth implements Scenario {

  private static final String SIZE =
      "{'spec':{'dataVolume':{'storage':{'resources':{'requests':{'storage':'%s'}}}}}}";

  private final World world;
  private int gibibytes = 10;

  VolumeGrowth(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    // Goes with the control plane.
    var storageClass = new TestStorageClass(world.client(), world.namespace(), true);
    UpdatePlan.createNode(world, "sei:v0", storageClass.name());
    World.eventually(() -> world.assertSettled(UpdatePlan.NODE, "sei:v0"));
    begin();
    World.eventually(this::assertDone);
  }

  @Override
  public void begin() {
    gibibytes++;
    world.patch(SeiNode.class, UpdatePlan.NODE, SIZE.formatted(size()));
  }

  @Override
  public void assertDone() {
    world.assertSettled(UpdatePlan.NODE, "sei:v0");
    var resized =
        Conditions.find(
            world.node(UpdatePlan.NODE).getStatus().conditions(),
            NodeConditionType.DATA_VOLUME_RESIZED);
    assertThat(resized).isPresent();
    assertThat(resized.get().message()).isEqualTo("claim data-node has " + size());
  }

  @Override
  public void assertSound() {
    var claim =
        world
            .client()
            .resources(PersistentVolumeClaim.class)
            .inNamespace(world.namespace())
            .withName("data-" + UpdatePlan.NODE)
            .get();
    assertThat(claim.getSpec().getResources().getRequests())
        .containsEntry("storage", new Quantity(size()));
    assertThat(world.pods(UpdatePlan.NODE)).as("nothing restarts").hasSize(1);
  }

  private String size() {
    return gibibytes + "Gi";
  }
}
