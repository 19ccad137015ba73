package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.SigningState;
import io.sei.operator.node.feature.StatusReset;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Names;
import java.util.Optional;

/**
 * Keeps a validator from signing without the record of what it has signed, which is on the claim
 * that it has used: one recreated under its name has none, or an older one. Seid waits there until
 * the sidecar is marked ready, which no plan does before this is settled.
 */
record SigningClaim(DataClaim dataClaim) {

  /** Reason of a refused claim. */
  private static final String REFUSED = "is not the one that the node used before";

  /** Records which claim a validator uses; rests where it is refused. */
  Next observe(NodePass pass) {
    if (pass.node().getSpec().validator() == null) {
      return Next.goOn();
    }
    String recorded = pass.draft().dataClaimUid();
    Optional<String> uid = claim(pass, recorded).map(claim -> claim.getMetadata().getUid());
    if (uid.isEmpty() || uid.get().equals(recorded)) {
      return Next.goOn();
    }
    if (recorded != null && !SigningState.mayBeLost(pass.node().getSpec(), uid.get())) {
      pass.claimRefused(REFUSED);
      return Next.rest();
    }
    if (recorded != null) {
      StatusReset.begin(pass);
    }
    pass.update(status -> status.withDataClaimUid(uid.get()));
    return Next.writeFirst("claim");
  }

  /** An imported claim may not be watched, and is read while seid has yet to start on it. */
  private Optional<PersistentVolumeClaim> claim(NodePass pass, String recorded) {
    NodeView view = pass.view();
    boolean hasStarted = view.livePod().filter(PodFacts::isReady).isPresent();
    return view.claim().isPresent()
            || Names.importedClaim(view.node()).isEmpty()
            || (recorded != null && hasStarted)
        ? view.claim()
        : dataClaim.read(pass);
  }
}
