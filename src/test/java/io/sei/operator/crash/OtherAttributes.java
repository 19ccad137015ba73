package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClassBuilder;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import java.lang.Runtime.Version;
import java.util.Map;

/** The volume of a running node is to have another VolumeAttributesClass. */
final class OtherAttributes extends NodeScenario {

  /** First version whose API server keeps the field. */
  private static final Version KEPT = Version.parse("1.34");

  private int classes;

  OtherAttributes(World world) {
    super(world);
  }

  @Override
  public void begin() {
    classes++;
    if (isKept()) {
      world
          .client()
          .resource(
              new VolumeAttributesClassBuilder()
                  .withNewMetadata()
                  .withName(name())
                  .endMetadata()
                  .withDriverName("sei.io/simulated")
                  .withParameters(Map.of("iops", "10000"))
                  .build())
          .create();
    }
    patch(
        "{'spec':{'dataVolume':{'storage':{'volumeAttributesClassName':'%s'}}}}".formatted(name()));
  }

  @Override
  public void assertDone() {
    super.assertDone();
    var modified =
        Conditions.find(node().getStatus().conditions(), NodeConditionType.DATA_VOLUME_MODIFIED);
    assertThat(modified).isPresent();
    assertThat(modified.get().isTrue()).isEqualTo(isKept());
    assertThat(modified.get().message()).contains("VolumeAttributesClass " + name());
  }

  @Override
  public void assertSound() {
    assertThat(
            world
                .read(PersistentVolumeClaim.class, "data-" + NODE)
                .getSpec()
                .getVolumeAttributesClassName())
        .isEqualTo(isKept() ? name() : null);
    assertThat(world.pods(NODE)).as("nothing restarts").hasSize(1);
  }

  /** Classes belong to no namespace. */
  private String name() {
    return world.namespace() + "-" + classes;
  }

  private boolean isKept() {
    return Version.parse(world.plane().serverVersion().substring(1)).compareTo(KEPT) >= 0;
  }
}
