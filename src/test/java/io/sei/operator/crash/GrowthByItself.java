package io.sei.operator.crash;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.SeidDeaths;

/** The volume of a node is full and grows by itself; the last growth is long ago. */
class GrowthByItself extends VolumeGrowth {

  private static final String POD = NODE + "-0";

  GrowthByItself(World world) {
    super(world);
  }

  /** Does nothing: the volume is full only in the rounds. */
  @Override
  void grow() {}

  @Override
  SeiNodeSpec spec() {
    var size = new DataVolume.Storage.Requests(new Quantity(size()));
    var storage =
        new DataVolume.Storage(
            storageClass.name(), null, new DataVolume.Storage.Resources(size), rule());
    return super.spec().withDataVolume(new DataVolume(null, null, storage, null, null));
  }

  /** Returns the rule of growth. */
  AutoGrow rule() {
    return new AutoGrow(null, "1Gi", new Quantity("1Ti"));
  }

  @Override
  public void begin() {
    gibibytes++;
    world.kubelet().inject(world.namespace(), POD, SeidDeaths.fullDisk().fault());
  }

  @Override
  public void assertDone() {
    assertResized();
  }

  @Override
  public void tidy() {
    world.kubelet().clear(world.namespace(), POD);
    World.eventually(() -> world.assertSettled(NODE, image()));
    forgetTheLastGrowth();
  }

  /** Sets the last growth back by a long time. */
  void forgetTheLastGrowth() {
    world
        .client()
        .persistentVolumeClaims()
        .inNamespace(world.namespace())
        .withName("data-" + NODE)
        .edit(
            claim ->
                new PersistentVolumeClaimBuilder(claim)
                    .editMetadata()
                    .removeFromAnnotations(Annotations.RESIZED_AT)
                    .endMetadata()
                    .build());
  }
}
