package io.sei.operator.node;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_AT_RISK;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.testkit.ApiFault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The claim of a node is gone, and its volume is retained: the data is there, and no pod uses it.
 */
class ReleasedVolumeTest extends DataVolumeTestCase {

  @Tag("long")
  @Test
  void nodeWhoseVolumeIsRetainedGetsNoEmptyClaim() {
    createRunning();
    String volume = claim().getSpec().getVolumeName();
    deleteClaim();
    awaitAtRisk("kubectl patch pv " + volume);
    patch(volume(volume), "{'spec':{'persistentVolumeReclaimPolicy':'Retain'}}");
    eventually(
        () ->
            assertThat(condition(DATA_VOLUME_AT_RISK).message())
                .contains("volume " + volume + " is kept"));

    client.resource(pod()).delete();

    eventually(() -> assertThat(claim()).isNull());
    awaitCondition(DATA_VOLUME_AT_RISK, ConditionStatus.TRUE, "DataVolumeReleased");
    assertThat(condition(DATA_VOLUME_AT_RISK).message()).contains("volume " + volume);
    eventually(() -> assertThat(events("DataVolumeReleased")).hasSize(1));
    stays(() -> assertThat(claim()).isNull());
    operator.restart();
    stays(() -> assertThat(claim()).isNull());

    patch(
        "{'spec':{'dataVolume':{'acceptDataLoss':'%s'}}}"
            .formatted(node().getStatus().dataVolume().claimUid()));

    awaitUpToDate(A);
    assertThat(claim().getSpec().getVolumeName()).isNotEqualTo(volume);
    client.resource(volume(volume)).delete();
  }

  /** Deletion of a PersistentVolume with the policy Retain deletes no disk. */
  @Test
  void nodeWhoseRetainedVolumeIsGoneFromTheClusterGetsNoEmptyClaim() {
    createRunning();
    PersistentVolumeClaim old = claim();
    PersistentVolume volume = volume(old.getSpec().getVolumeName());
    String name = volume.getMetadata().getName();
    patch(volume, "{'spec':{'persistentVolumeReclaimPolicy':'Retain'}}");
    deleteClaim();
    awaitAtRisk("volume " + name + " is kept");
    client.resource(pod()).delete();
    awaitCondition(DATA_VOLUME_AT_RISK, ConditionStatus.TRUE, "DataVolumeReleased");

    client.resource(volume(name)).delete();
    // A real cluster does so once the volume is Released.
    patch(volume(name), "{'metadata':{'finalizers':null}}");
    eventually(() -> assertThat(volume(name)).isNull());
    operator.restart();

    stays(() -> assertThat(claim()).isNull());
    awaitAtRisk("PersistentVolume " + name + " are gone; its reclaim policy was Retain");

    client
        .resource(
            new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withSpec(volume.getSpec())
                .editSpec()
                .withPersistentVolumeReclaimPolicy("Retain")
                .withClaimRef(null)
                .endSpec()
                .build())
        .create();
    createClaimAgain(old);

    awaitUpToDate(A);
    assertCondition(DATA_VOLUME_AT_RISK, ConditionStatus.FALSE, "NotAtRisk");
    assertThat(claim().getSpec().getVolumeName()).isEqualTo(name);
    assertThat(sidecar.executions(namespace, NODE, "configure-genesis")).isEqualTo(1);
  }

  @Test
  void nodeGoesOnWhereItWasOnceItsVolumeIsBoundToANewClaim() {
    String volume = bindVolumeToANewClaim(() -> {});

    awaitUpToDate(B);
    assertCondition(DATA_VOLUME_AT_RISK, ConditionStatus.FALSE, "NotAtRisk");
    assertThat(claim().getSpec().getVolumeName()).isEqualTo(volume);
    assertThat(node().getStatus().dataVolume().claimUid())
        .isEqualTo(claim().getMetadata().getUid());
    assertThat(sidecar.executions(namespace, NODE, "configure-genesis")).isEqualTo(1);
    assertThat(events("ClaimLost")).isEmpty();
    eventually(() -> assertThat(events("ClaimReplaced")).hasSize(1));
    assertThat(node().getStatus().upgrades())
        .singleElement()
        .matches(
            upgrade ->
                upgrade.isApplied() && upgrade.claimUid().equals(claim().getMetadata().getUid()));
    assertThat(images()).containsExactly(A, B, B);
  }

  /** The claim changes while it is bound, so that a patch of what was seen of it may fail. */
  @Tag("long")
  @Test
  void noUpgradeIsForgottenIfTheNewClaimCannotBeMarkedAtOnce() {
    operatorBehindADoor().start();
    bindVolumeToANewClaim(
        () ->
            door.inject(
                1,
                request ->
                    request.isWrite()
                        && request.path().endsWith("/persistentvolumeclaims/" + CLAIM),
                ApiFault.error(409, "Conflict")));

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B, B);
  }

  /** A node that has been through an upgrade gets a new claim for its volume. */
  private String bindVolumeToANewClaim(Runnable beforeItIsBound) {
    createRunning();
    haltAtUpgrade();
    awaitUpToDate(B);
    PersistentVolumeClaim old = claim();
    String volume = old.getSpec().getVolumeName();
    patch(volume(volume), "{'spec':{'persistentVolumeReclaimPolicy':'Retain'}}");
    deleteClaim();
    awaitAtRisk("");
    client.resource(pod()).delete();
    awaitCondition(DATA_VOLUME_AT_RISK, ConditionStatus.TRUE, "DataVolumeReleased");

    beforeItIsBound.run();
    patch(volume(volume), "{'spec':{'claimRef':{'uid':null,'resourceVersion':null}}}");
    createClaimAgain(old);
    return volume;
  }

  private void createClaimAgain(PersistentVolumeClaim old) {
    client
        .resource(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(CLAIM)
                .withNamespace(namespace)
                .addToLabels("sei.io/node", NODE)
                .endMetadata()
                .withSpec(old.getSpec())
                .build())
        .create();
  }
}
