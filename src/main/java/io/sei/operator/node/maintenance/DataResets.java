package io.sei.operator.node.maintenance;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.SigningState;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.reconcile.Next;
import java.util.Optional;

/**
 * Records that a node's data is to be wiped, before the pod is made that does it, and that it ran
 * again. What the record says of the claim is what the init container goes by.
 */
public record DataResets(DataClaim dataClaim) implements NodeFeature {

  /** Records what {@code spec.dataResetGeneration} asks for. */
  @Override
  public Next settle(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    if (snapshot.isBeingReset() && snapshot.isRunning()) {
      DataReset done = snapshot.status().dataReset().withCompletedAt(snapshot.now());
      reconcile.update(status -> status.withDataReset(done));
      return Next.goOn();
    }
    Long wanted = reconcile.node().getSpec().dataResetGeneration();
    if (!SigningState.isResetWanted(reconcile.node().getSpec(), snapshot.status())) {
      return Next.goOn();
    }
    Optional<PersistentVolumeClaim> claim =
        isNew(snapshot.status()) ? Optional.empty() : dataClaim.read(reconcile);
    if (claim.isPresent() && dataClaim.forgetUpgrades(reconcile, claim.get())) {
      // The next pass observes the claim without them.
      return Next.writeFirst("data-reset");
    }
    String uid = claim.map(it -> it.getMetadata().getUid()).orElse(null);
    var reset = new DataReset(wanted, uid, uid == null ? null : snapshot.now(), null);
    reconcile.update(
        status -> uid == null ? status.withDataReset(reset) : startingOver(status, reset));
    return Next.writeFirst("data-reset");
  }

  /**
   * A node that nothing is known of yet may have a volume all the same, from an earlier node of its
   * name: the number was not raised for that.
   */
  private static boolean isNew(SeiNodeStatus status) {
    return status.plan() == null
        && status.podSpecHash() == null
        && (status.phase() == null || status.phase() == NodePhase.PENDING);
  }

  /** The volume stays, and for now the pod. */
  static SeiNodeStatus startingOver(SeiNodeStatus status, DataReset reset) {
    return status
        .withoutData()
        .with(
            it ->
                it.phase(NodePhase.INITIALIZING)
                    .podBaseline(status.podBaseline())
                    .sidecar(status.sidecar())
                    .plan(ofEarlierData(status.plan()))
                    .dataClaimUid(status.dataClaimUid())
                    .dataVolume(status.dataVolume())
                    .restoredFrom(status.restoredFrom())
                    .dataReset(reset));
  }

  /**
   * What is left of an active plan is to be seen over, and nothing that an init plan has done to
   * the old data is to count.
   */
  private static TaskPlan ofEarlierData(TaskPlan plan) {
    return plan == null || !plan.isActive() ? null : plan.withKind(PlanKind.UPDATE);
  }
}
