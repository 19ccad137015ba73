package io.sei.operator.node;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_MODIFIED;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClassBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import java.lang.Runtime.Version;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The VolumeAttributesClass of a node's claim follows the spec, where the API server has any. */
class VolumeAttributesTest extends IdentityTestCase {

  private static final String CLAIM = "data-" + NODE;
  private static final Version KEEPS_THE_FIELD = Version.parse("1.34");

  @Test
  void classIsThatOfTheSpecWhileTheNodeRuns() {
    var storage = new Storage(null, "gold", null, null);
    create(spec(A).withDataVolume(new DataVolume(null, null, storage, null, null)));
    awaitUpToDate(A);
    String pod = podUid();

    if (keepsTheField()) {
      changeTheClass();
    } else {
      assertDropped();
    }

    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    assertNeverRestarted(pod);
  }

  private void changeTheClass() {
    awaitModified(ConditionStatus.TRUE, NodeReason.MODIFIED, "VolumeAttributesClass gold");
    assertThat(events("DataVolumeModified")).as("it was made with its class").isEmpty();
    int patches = patchesOfClaim();

    // Classes belong to no namespace.
    String silver = namespace + "-silver";
    name(silver);
    awaitModified(ConditionStatus.FALSE, NodeReason.MODIFY_PENDING, silver, "create it");
    assertThat(node().getStatus().reason()).isEqualTo(NodeReason.MODIFY_PENDING.toString());
    VolumeAttributesClass made = client.resource(attributes(silver)).create();
    name("gold");
    awaitModified(ConditionStatus.TRUE, NodeReason.MODIFIED, "VolumeAttributesClass gold");
    name(silver);

    awaitModified(ConditionStatus.TRUE, NodeReason.MODIFIED, "VolumeAttributesClass " + silver);
    patch("{'spec':{'dataVolume':{'storage':{'volumeAttributesClassName':null}}}}");
    awaitAnotherLook();
    assertThat(read(PersistentVolumeClaim.class, CLAIM).getSpec().getVolumeAttributesClassName())
        .isEqualTo(silver);
    assertThat(patchesOfClaim()).as("each asked once").isEqualTo(patches + 3);
    client.resource(made).delete();
  }

  private void name(String attributesClass) {
    patch(
        "{'spec':{'dataVolume':{'storage':{'volumeAttributesClassName':'%s'}}}}"
            .formatted(attributesClass));
  }

  private void assertDropped() {
    awaitModified(
        ConditionStatus.FALSE, NodeReason.MODIFY_REFUSED, "the API server drops that field");
    int patches = patchesOfClaim();
    awaitAnotherLook();
    assertThat(patchesOfClaim()).as("asked once").isEqualTo(patches);
  }

  private boolean keepsTheField() {
    return Version.parse(controlPlane.serverVersion().substring(1)).compareTo(KEEPS_THE_FIELD) >= 0;
  }

  private static VolumeAttributesClass attributes(String name) {
    return new VolumeAttributesClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withDriverName("sei.io/simulated")
        .withParameters(Map.of("iops", "10000"))
        .build();
  }

  private int patchesOfClaim() {
    return operator
        .requests()
        .matching(
            request ->
                request.method().equals("PATCH")
                    && request.path().endsWith("/persistentvolumeclaims/" + CLAIM))
        .size();
  }

  private void awaitModified(ConditionStatus status, NodeReason reason, String... words) {
    eventually(
        () -> {
          assertCondition(DATA_VOLUME_MODIFIED, status, reason);
          assertThat(condition(DATA_VOLUME_MODIFIED).message()).contains(words);
        });
  }
}
