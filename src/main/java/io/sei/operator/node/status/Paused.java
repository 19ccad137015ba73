package io.sei.operator.node.status;

import static io.sei.operator.reconcile.Verdict.no;
import static io.sei.operator.reconcile.Verdict.yes;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PutOff;
import io.sei.operator.node.model.Rank;
import io.sei.operator.reconcile.Arbiter;
import io.sei.operator.reconcile.Verdict;
import java.util.Optional;

/**
 * PURE: decides the condition Paused of a node. Whoever waits for a node that is paused wants its
 * volume: no pod may have it any more.
 */
final class Paused {

  private Paused() {}

  /** What it says. */
  static Verdict of(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    boolean asked = Boolean.TRUE.equals(snapshot.declared().paused());
    boolean stopping = snapshot.ownedPod().isPresent() || !snapshot.bootstrapPods().isEmpty();
    return new Arbiter<>(Rank.Paused.class, reconcile::offered)
        .offer(Rank.Paused.PUT_OFF, () -> putOff(snapshot, !snapshot.isPaused() && asked))
        .offer(
            Rank.Paused.NOT_PAUSED,
            !snapshot.isPaused(),
            no(NodeReason.NOT_PAUSED, "spec.paused is not set"))
        .offer(Rank.Paused.POD_KEPT, () -> putOff(snapshot, stopping && snapshot.isKept()))
        .offer(
            Rank.Paused.STOPPING,
            () ->
                snapshot
                    .stop()
                    .filter(it -> stopping)
                    .map(Ready::stopped)
                    .map(it -> no(NodeReason.PAUSING, it + "; the pod is stopping")))
        .offer(
            Rank.Paused.STOPPED,
            () ->
                snapshot
                    .stop()
                    .map(Ready::stopped)
                    .map(it -> yes(NodeReason.STOPPED_FOR_SNAPSHOT, it + "; the pod is gone")))
        .offer(
            Rank.Paused.PAUSING,
            stopping,
            no(NodeReason.PAUSING, "spec.paused is true; the pod is stopping"))
        .offer(
            Rank.Paused.PAUSED,
            true,
            yes(NodeReason.PAUSED, "spec.paused is true; the pod is gone"))
        .verdict();
  }

  private static Optional<Verdict> putOff(NodeSnapshot snapshot, boolean applies) {
    return applies
        ? Optional.of(no(NodeReason.DATA_VOLUME_AT_RISK, PutOff.because(snapshot, "spec.paused")))
        : Optional.empty();
  }
}
