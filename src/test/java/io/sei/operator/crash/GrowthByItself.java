package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.TestStorageClass;
import io.sei.operator.testkit.samples.SeidDeaths;

/** The volume of a node is full and grows by itself; the last growth is long ago. */
final class GrowthByItself extends NodeScenario {

  private static final String POD = NODE + "-0";

  private int gibibytes = 10;
  private TestStorageClass storageClass;

  GrowthByItself(World world) {
    super(world);
  }

  @Override
  public void prepare() {
    // Goes with the control plane.
    storageClass = new TestStorageClass(world.client(), world.namespace(), true);
    super.prepare();
  }

  @Override
  SeiNodeSpec spec() {
    var size = new DataVolume.Storage.Requests(new Quantity(size()));
    var rule = new DataVolume.Storage.AutoGrow("1Gi", new Quantity("1Ti"));
    var storage =
        new DataVolume.Storage(storageClass.name(), new DataVolume.Storage.Resources(size), rule);
    return super.spec().withDataVolume(new DataVolume(null, null, storage, null, null));
  }

  @Override
  public void begin() {
    gibibytes++;
    world.kubelet().inject(world.namespace(), POD, new PodFault.Dies(SeidDeaths.fullDisk()));
  }

  @Override
  public void assertDone() {
    var resized =
        Conditions.find(node().getStatus().conditions(), NodeConditionType.DATA_VOLUME_RESIZED);
    assertThat(resized.orElseThrow().message()).isEqualTo("claim data-node has " + size());
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
    assertThat(node().getStatus().volumeGrowth().size()).isEqualTo(size());
    assertThat(world.pods(NODE)).as("nothing restarts").hasSize(1);
  }

  @Override
  public void tidy() {
    world.kubelet().clear(world.namespace(), POD);
    World.eventually(() -> world.assertSettled(NODE, image()));
    world
        .client()
        .resources(SeiNode.class)
        .inNamespace(world.namespace())
        .withName(NODE)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":{\"volumeGrowth\":null}}");
  }

  private String size() {
    return gibibytes + "Gi";
  }
}
