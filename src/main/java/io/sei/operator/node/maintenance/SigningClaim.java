package io.sei.operator.node.maintenance;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.SigningState;
import io.sei.operator.node.model.StartingOver;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Names;
import java.util.Optional;

/**
 * Keeps a validator from signing without the record of what it has signed, which is on the claim
 * that it has used: one recreated under its name has none, or an older one. Seid waits there until
 * the sidecar is marked ready, which no plan does before this is settled.
 */
public record SigningClaim(DataClaim dataClaim) implements NodeFeature {

  /** What is wrong with a claim that is refused. */
  private static final String REFUSED = "is not the one that the node used before";

  /** Records which claim a validator uses; rests where it is refused. */
  @Override
  public Next settle(NodeReconcile reconcile) {
    if (reconcile.node().getSpec().validator() == null) {
      return Next.goOn();
    }
    String recorded = reconcile.status().dataClaimUid();
    Optional<String> uid = claim(reconcile, recorded).map(it -> it.getMetadata().getUid());
    if (uid.isEmpty() || uid.get().equals(recorded)) {
      return Next.goOn();
    }
    if (recorded != null && !SigningState.mayBeLost(reconcile.node().getSpec(), uid.get())) {
      reconcile.claimRefused(REFUSED);
      return Next.rest();
    }
    if (recorded != null) {
      StartingOver.begin(reconcile);
    }
    reconcile.update(status -> status.withDataClaimUid(uid.get()));
    return Next.writeFirst("claim");
  }

  /** An imported claim may not be watched, and is read while seid has yet to start on it. */
  private Optional<PersistentVolumeClaim> claim(NodeReconcile reconcile, String recorded) {
    NodeSnapshot snapshot = reconcile.snapshot();
    boolean hasStarted = snapshot.livePod().filter(PodFacts::isReady).isPresent();
    return snapshot.claim().isPresent()
            || Names.importedClaim(snapshot.node()).isEmpty()
            || (recorded != null && hasStarted)
        ? snapshot.claim()
        : dataClaim.read(reconcile);
  }
}
