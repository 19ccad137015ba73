package io.sei.operator.node.status;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PutOff;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.reconcile.Arbiter;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.Optional;

/**
 * PURE: decides the condition Paused of a node. Users wait for it to work on the volume: no pod may
 * have it any more.
 */
final class Paused {

  private Paused() {}

  /** Returns the proposal. */
  static ConditionProposal of(NodePass pass) {
    NodeView view = pass.view();
    boolean asked = Boolean.TRUE.equals(view.declared().paused());
    boolean stopping = view.ownedPod().isPresent() || !view.bootstrapPods().isEmpty();
    return new Arbiter<>(Rank.Paused.class, pass::offered)
        .offer(Rank.Paused.PUT_OFF, () -> putOff(view, !view.isPaused() && asked))
        .offer(
            Rank.Paused.NOT_PAUSED,
            !view.isPaused(),
            no(NodeReason.NOT_PAUSED, "spec.paused is not set"))
        .offer(Rank.Paused.POD_KEPT, () -> putOff(view, stopping && view.isKept()))
        .offer(
            Rank.Paused.STOPPING,
            () ->
                view.stop()
                    .filter(stop -> stopping)
                    .map(Ready::stopped)
                    .map(text -> no(NodeReason.PAUSING, text + "; the pod is stopping")))
        .offer(
            Rank.Paused.STOPPED,
            () ->
                view.stop()
                    .map(Ready::stopped)
                    .map(text -> yes(NodeReason.STOPPED_FOR_SNAPSHOT, text + "; the pod is gone")))
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

  private static Optional<ConditionProposal> putOff(NodeView view, boolean applies) {
    return applies
        ? Optional.of(no(NodeReason.DATA_VOLUME_AT_RISK, PutOff.because(view, "spec.paused")))
        : Optional.empty();
  }
}
