package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.TestStorageClass;

/** The volume of a running node is to grow. */
class VolumeGrowth extends NodeScenario {

  private static final String SIZE =
      "{'spec':{'dataVolume':{'storage':{'resources':{'requests':{'storage':'%s'}}}}}}";

  int gibibytes = 10;
  TestStorageClass storageClass;

  VolumeGrowth(World world) {
    super(world);
  }

  @Override
  public void prepare() {
    // Goes with the control plane.
    storageClass = new TestStorageClass(world.client(), world.namespace(), true);
    super.prepare();
    grow();
  }

  /** The first growth is not what the sweep is about. */
  void grow() {
    begin();
    World.eventually(this::assertDone);
  }

  @Override
  SeiNodeSpec spec() {
    var storage = new DataVolume.Storage(storageClass.name(), null, null, null);
    return super.spec().withDataVolume(new DataVolume(null, null, storage, null, null));
  }

  @Override
  public void begin() {
    gibibytes++;
    patch(SIZE.formatted(size()));
  }

  @Override
  public void assertDone() {
    world.assertSettled(NODE, image());
    assertResized();
  }

  /** The condition has the size that is asked for. */
  void assertResized() {
    var resized =
        Conditions.find(node().getStatus().conditions(), NodeConditionType.DATA_VOLUME_RESIZED);
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
            .withName("data-" + NODE)
            .get();
    assertThat(claim.getSpec().getResources().getRequests())
        .containsEntry("storage", new Quantity(size()));
    assertThat(world.pods(NODE)).as("nothing restarts").hasSize(1);
  }

  String size() {
    return gibibytes + "Gi";
  }
}
