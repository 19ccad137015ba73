package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.testkit.ThrowAwayKeys;
import org.junit.jupiter.api.Test;

/** Somebody deletes the claim of a node that has run, and its pod. */
class LostClaimTest extends ValidatorTestCase {

  private static final String CLAIM = "data-" + NODE;

  @Test
  void nodeStartsOverWithANewClaim() {
    createRunning();
    String claim = claim().getMetadata().getUid();

    loseClaim();

    eventually(() -> assertThat(claim().getMetadata().getUid()).isNotEqualTo(claim));
    awaitUpToDate(A);
    assertThat(runs(SidecarTaskTypes.CONFIGURE_GENESIS)).isEqualTo(2);
    eventually(() -> assertThat(occurrences("ClaimLost")).isEqualTo(1));
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(2));
  }

  @Test
  void nodeStartsOverInTheMiddleOfAnUpdate() {
    createRunning();
    sidecarFaults().hold(MARK_READY);
    setImage(B);
    awaitStep(MARK_READY);

    loseClaim();
    sidecarFaults().release(MARK_READY);

    awaitUpToDate(B);
    assertThat(runs(SidecarTaskTypes.CONFIGURE_GENESIS)).isEqualTo(2);
  }

  @Test
  void nodeWithASigningKeyWaitsForTheClaimThatHadItsSignatures() {
    put(ThrowAwayKeys.signingKey(KEY));
    createValidator(NODE);
    awaitRunning(NODE);

    loseClaim();

    awaitStalled(StallReason.VOLUME_PENDING);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("claim data-node is gone", "restore the claim from a backup");
    eventually(() -> assertThat(events("Stalled")).hasSize(1));
    stays(() -> assertThat(claim()).isNull());

    createClaim(CLAIM);

    awaitRunning(NODE);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    assertThat(runs(SidecarTaskTypes.CONFIGURE_GENESIS)).isEqualTo(1);
  }

  private int runs(String type) {
    return sidecar.executions(namespace, NODE, type);
  }

  private void loseClaim() {
    String pod = podUid();
    client.resource(claim()).delete();
    client.resource(pod()).delete();
    eventually(() -> assertThat(podUid()).isNotEqualTo(pod));
  }

  private PersistentVolumeClaim claim() {
    return read(PersistentVolumeClaim.class, CLAIM);
  }
}
