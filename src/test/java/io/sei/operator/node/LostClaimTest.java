package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.samples.Samples;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A user deletes the claim of a node that has run, and its pod. */
class LostClaimTest extends ValidatorTestCase {

  private static final String CLAIM = "data-" + NODE;
  private static final String BROUGHT = "brought";
  private static final String ACCEPT = "{'spec':{'validator':{'acceptSigningStateLoss':'%s'}}}";
  private static final String ACCEPT_DATA_LOSS = "{'spec':{'dataVolume':{'acceptDataLoss':'%s'}}}";

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
  @Tag("long")
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

  @Tag("long")
  @Test
  void nodeWithASigningKeyWaitsForTheClaimThatHadItsSignatures() {
    put(ThrowAwayKeys.signingKey(KEY));
    createValidator(NODE);
    awaitRunning(NODE);

    loseClaim();

    awaitStalled(StallReason.SIGNING_STATE_UNKNOWN);
    assertThat(condition(NodeConditionType.STALLED).message()).contains("claim data-node is gone");
    eventually(() -> assertThat(events("Stalled")).hasSize(1));
    stays(() -> assertThat(claim()).isNull());

    patch(node(), ACCEPT_DATA_LOSS.formatted(node().getStatus().dataClaimUid()));
    stays(() -> assertThat(claim()).as("its signatures are not given up").isNull());
    patch(node(), ACCEPT.formatted(node().getStatus().dataClaimUid()));

    awaitRunning(NODE);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    assertThat(runs(SidecarTaskTypes.CONFIGURE_GENESIS)).isEqualTo(2);
    assertThat(node().getStatus().dataClaimUid()).isEqualTo(claim().getMetadata().getUid());
  }

  /** A reset keeps the record, and its acceptance is still in the spec when the claim is lost. */
  @Test
  void acceptanceThatWasMeantForAResetGivesUpNoRecord() {
    put(ThrowAwayKeys.signingKey(KEY));
    createValidator(NODE);
    awaitRunning(NODE);
    patch(node(), ACCEPT.formatted(node().getStatus().dataClaimUid()));

    loseClaim();

    awaitStalled(StallReason.SIGNING_STATE_UNKNOWN);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("that and spec.dataVolume.acceptDataLoss to status.dataClaimUid");
    stays(() -> assertThat(claim()).isNull());

    patch(node(), ACCEPT_DATA_LOSS.formatted(node().getStatus().dataClaimUid()));

    awaitRunning(NODE);
  }

  @Tag("long")
  @Test
  void nodeWithASigningKeyDoesNotStartOnAClaimThatWasMadeAgain() {
    put(ThrowAwayKeys.signingKey(KEY));
    createValidator(NODE);
    awaitRunning(NODE);
    loseClaim();
    awaitStalled(StallReason.SIGNING_STATE_UNKNOWN);

    createOwnClaim();

    eventually(
        () ->
            assertThat(condition(NodeConditionType.STALLED).message())
                .contains("claim data-node is not the one that the node used before"));
    patch(node(), ACCEPT.formatted(node().getStatus().dataClaimUid()));
    stays(() -> assertThat(runs(MARK_READY)).as("of another claim").isEqualTo(1));

    patch(node(), ACCEPT.formatted(claim().getMetadata().getUid()));

    awaitRunning(NODE);
    assertThat(runs(MARK_READY)).isEqualTo(2);

    loseClaim();

    awaitStalled(StallReason.SIGNING_STATE_UNKNOWN);
    stays(() -> assertThat(claim()).as("accepted while it was there").isNull());
  }

  /** As one does who wants it with another access mode, or on another volume. */
  @Tag("long")
  @Test
  void nodeStartsOverOnAnImportedClaimThatWasMadeAgain() {
    createClaim(BROUGHT);
    create(spec(A).withDataVolume(Samples.imported(BROUGHT)));
    awaitUpToDate(A);
    int configured = runs(SidecarTaskTypes.CONFIG_VALIDATE);

    makeImportedClaimAgain();

    awaitUpToDate(A);
    eventually(() -> assertThat(node().getStatus().dataVolume().claimUid()).isEqualTo(brought()));
    assertThat(runs(SidecarTaskTypes.CONFIG_VALIDATE)).isEqualTo(configured + 1);
    eventually(() -> assertThat(occurrences("ClaimLost")).isEqualTo(1));
    assertThat(mark()).contains(node().getMetadata().getUid());
  }

  @Test
  void nodeWithASigningKeyDoesNotStartOnAnImportedClaimThatWasMadeAgain() {
    put(ThrowAwayKeys.signingKey(KEY));
    put(ThrowAwayKeys.nodeKey("identity-" + NODE));
    createClaim(BROUGHT);
    create(NODE, spec(keysOf(NODE)).withDataVolume(Samples.imported(BROUGHT)));
    awaitRunning(NODE);

    makeImportedClaimAgain();

    awaitStalled(StallReason.SIGNING_STATE_UNKNOWN);
    stays(() -> assertThat(runs(MARK_READY)).isEqualTo(1));

    patch(node(), ACCEPT.formatted(brought()));

    awaitRunning(NODE);
    assertThat(node().getStatus().dataClaimUid()).isEqualTo(brought());
    eventually(() -> assertThat(occurrences("ClaimLost")).isEqualTo(1));
    assertThat(mark()).contains(node().getMetadata().getUid());
  }

  private void makeImportedClaimAgain() {
    String before = brought();
    pause(NODE, true);
    eventually(() -> assertThat(pod()).isNull());
    client.resource(read(PersistentVolumeClaim.class, BROUGHT)).delete();
    eventually(() -> assertThat(read(PersistentVolumeClaim.class, BROUGHT)).isNull());
    createClaim(BROUGHT);
    assertThat(brought()).isNotEqualTo(before);
    pause(NODE, false);
  }

  private String brought() {
    return read(PersistentVolumeClaim.class, BROUGHT).getMetadata().getUid();
  }

  private Optional<String> mark() {
    return Annotations.of(read(PersistentVolumeClaim.class, BROUGHT), Annotations.CLAIM_OWNER_UID);
  }

  /** Creates the claim like a user who restores it from a backup. */
  private void createOwnClaim() {
    createClaim(CLAIM);
    patch(claim(), "{'metadata':{'labels':{'sei.io/node':'node'}}}");
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
