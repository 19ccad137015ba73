package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.ThrowAwayKeys;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The data of a node is wiped because a number in its spec was raised. */
class DataResetTest extends ValidatorTestCase {

  @Test
  void dataIsWipedOnceAndTheNodeStartsAsOnANewVolume() {
    createRunning();
    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));
    kubelet.halt(namespace, POD, "v2", 100);
    awaitUpToDate(B);
    kubelet.clear(namespace, POD);
    String claim = claim().getMetadata().getUid();

    reset(1);

    awaitReset(1);
    awaitUpToDate(A);
    assertThat(initialized()).isEqualTo(2);
    assertThat(images()).containsExactly(A, B, A);
    assertThat(claim().getMetadata().getUid()).isEqualTo(claim);
    assertThat(Annotations.of(claim(), Annotations.APPLIED_UPGRADES)).isEmpty();
    assertThat(node().getStatus().upgrades())
        .singleElement()
        .matches(upgrade -> !upgrade.isApplied(), "is ahead");
    eventually(() -> assertThat(occurrences("DataResetComplete")).isEqualTo(1));
    assertThat(occurrences("DataReset")).isEqualTo(1);
    assertThat(events("ClaimLost")).isEmpty();

    annotate(Annotations.RESTART_REQUESTED_AT, "now");

    eventually(() -> assertThat(images()).hasSize(4));
    awaitUpToDate(A);
    assertThat(initialized()).as("the volume knows").isEqualTo(2);
  }

  @Tag("long")
  @Test
  void newNodeTakesTheNumberItComesWithForDone() {
    create(spec(A).withDataResetGeneration(3L));
    awaitUpToDate(A);

    assertThat(node().getStatus().dataReset().generation()).isEqualTo(3);
    assertThat(node().getStatus().dataReset().claimUid()).isNull();
    assertThat(pod().getSpec().getInitContainers())
        .noneMatch(container -> container.getName().equals("data-reset"));

    reset(4);

    awaitReset(4);
    assertThat(initialized()).isEqualTo(2);
  }

  @Test
  void validatorIsRefusedUntilTheLossOfWhatItSignedIsAccepted() {
    put(ThrowAwayKeys.signingKey(KEY));
    createValidator(NODE);
    awaitRunning(NODE);

    reset(1);

    awaitSays(NODE, NodeConditionType.UP_TO_DATE, "False/" + StallReason.SIGNING_STATE_UNKNOWN);
    assertThat(node().getStatus().reason()).isEqualTo("SigningStateUnknown");
    assertThat(condition(NodeConditionType.UP_TO_DATE).message()).contains("claim data-node");
    stays(() -> assertThat(images()).containsExactly(A));
    assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);

    setImage(B);

    eventually(() -> assertThat(images()).containsExactly(A, B));
    patch(
        "{'spec':{'validator':{'acceptSigningStateLoss':'%s'}}}"
            .formatted(claim().getMetadata().getUid()));

    awaitReset(1);
    awaitRunning(NODE);
    assertThat(initialized()).isEqualTo(2);
  }

  private void reset(long generation) {
    patch("{'spec':{'dataResetGeneration':%d}}".formatted(generation));
  }

  private void awaitReset(long generation) {
    eventually(
        () -> {
          assertThat(node().getStatus().dataReset().generation()).isEqualTo(generation);
          assertThat(node().getStatus().dataReset().completedAt()).isNotNull();
        });
    assertThat(pod().getSpec().getInitContainers().get(0).getName()).isEqualTo("data-reset");
  }

  private int initialized() {
    return sidecar.executions(namespace, NODE, SidecarTaskTypes.CONFIGURE_GENESIS);
  }

  private PersistentVolumeClaim claim() {
    return read(PersistentVolumeClaim.class, "data-" + NODE);
  }
}
