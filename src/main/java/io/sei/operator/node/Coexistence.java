package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.status.NodeConditions;
import io.sei.operator.node.status.RestartExplanation;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Next;
import io.sei.operator.takeover.Adoption;
import io.sei.operator.takeover.TakeoverGate;
import io.sei.operator.takeover.TakeoverGate.Suspension;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Leaves a node alone whose StatefulSet another operator applies, or may not be adopted. */
public final class Coexistence {

  /**
   * Time for which a node is left alone; with a Go operator that holds no Lease, the two alternate.
   */
  private static final Duration HANDS_OFF = Duration.ofMinutes(1);

  /** A change of the StatefulSet is an event, and another setting a restart. */
  private static final Duration NOT_ADOPTED_RECHECK = Duration.ofMinutes(10);

  private final TakeoverGate takeover;
  private final Clock steady;

  /** The uid of the StatefulSet that this operator was the last to apply. */
  private final PerObjectMap<ResourceID, String> applied;

  private final PerObjectMap<ResourceID, Instant> overwritten;

  /**
   * @param steady for ages; never set back or forth
   */
  public Coexistence(TakeoverGate takeover, PerObjectState<ResourceID> memory, Clock steady) {
    this.takeover = takeover;
    this.steady = steady;
    this.applied = memory.newMap();
    this.overwritten = memory.newMap();
  }

  /** Continues unless another operator manages the node; else reports that and ends the pass. */
  public Next begin(NodePass reconcile) {
    Optional<StatefulSet> live = reconcile.view().statefulSet();
    if (!takeover.mayAdopt(reconcile.namespace())) {
      return live.filter(statefulSet -> Adoption.isNeeded(reconcile.node(), statefulSet))
              .isPresent()
          ? leaveUnadopted(reconcile, live.get())
          : Next.goOn();
    }
    live.ifPresent(statefulSet -> compare(ResourceID.fromResource(reconcile.node()), statefulSet));
    Optional<Suspension> suspension = takeover.suspension(reconcile.namespace());
    if (suspension.isPresent()) {
      return switch (suspension.get()) {
        case Suspension.Undecided _ -> Next.rest(TakeoverGate.PERIOD);
        case Suspension.Confirmed confirmed ->
            keepOff(reconcile, confirmed.cause().message(), TakeoverGate.PERIOD);
      };
    }
    return live.filter(_ -> isOverwritten(reconcile))
        .map(statefulSet -> keepOff(reconcile, overwritten(statefulSet), HANDS_OFF))
        .orElseGet(Next::goOn);
  }

  /** Sets Ready alone: the Go operator, if it runs, sets the other conditions. */
  private static Next leaveUnadopted(NodePass reconcile, StatefulSet live) {
    String message =
        Adoption.refusal("StatefulSet " + live.getMetadata().getName(), reconcile.namespace());
    reconcile.conflict(message);
    reconcile.put(
        NodeConditionType.READY,
        ConditionProposal.unknown(NodeReason.TAKEOVER_NOT_ENABLED, message));
    reconcile.update(status -> status.withExplain(RestartExplanation.of(reconcile)));
    return new Next.HandsOff(NOT_ADOPTED_RECHECK);
  }

  private Next keepOff(NodePass reconcile, String message, Duration recheck) {
    reconcile.conflict(message);
    NodeConditions.deriveConflict(reconcile, NodeReason.GO_OPERATOR_RUNS, message);
    reconcile.update(status -> status.withExplain(RestartExplanation.of(reconcile)));
    return new Next.HandsOff(recheck);
  }

  /** Notes when a StatefulSet that this operator had applied was applied by another one. */
  private void compare(ResourceID node, StatefulSet live) {
    String uid = live.getMetadata().getUid();
    if (Adoption.isAppliedByUs(live)) {
      applied.put(node, uid);
      overwritten.remove(node);
    } else if (applied.get(node).filter(uid::equals).isPresent()) {
      applied.remove(node);
      overwritten.put(node, steady.instant());
    }
  }

  private boolean isOverwritten(NodePass reconcile) {
    Instant heard = steady.instant().minus(HANDS_OFF);
    return overwritten
        .get(ResourceID.fromResource(reconcile.node()))
        .filter(at -> at.isAfter(heard))
        .isPresent();
  }

  private static String overwritten(StatefulSet live) {
    return "a Go operator seems to run: something applied StatefulSet %s as one does; find it and scale its Deployment to 0"
        .formatted(live.getMetadata().getName());
  }
}
