package io.sei.operator.node.volume;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.EffectiveNode;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.node.feature.SigningState;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Names;
import io.sei.operator.render.PodParts;
import java.util.Optional;

/**
 * Records a reset of a node's data before the pod is made that wipes it, and that seid ran again.
 * The init container wipes the claim that the record names.
 */
record DataResets(DataClaim dataClaim) {

  private static final String REFUSED =
      "the data is not reset: claim %s has the record of what the validator has signed,"
          + " which a reset keeps; to reset it all the same, set"
          + " spec.validator.acceptSigningStateLoss to status.dataClaimUid";

  /**
   * The spec without a reset that was not begun, where it is refused, or would end a pod that is
   * kept.
   */
  SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    boolean may = kept.isEmpty() && SigningState.mayBeLost(spec, status.dataClaimUid());
    if (may || !isWanted(spec, status)) {
      return spec;
    }
    long before = status.resetGeneration();
    return spec.withDataResetGeneration(before == 0 ? null : before);
  }

  private static boolean isWanted(SeiNodeSpec spec, SeiNodeStatus status) {
    return spec.dataResetGeneration() != null
        && spec.dataResetGeneration() > status.resetGeneration();
  }

  void conditions(ConditionParts conditions) {
    conditions.record(DataResets::record).event(EventRule.one(DataResets::event));
  }

  private static void record(NodePass pass) {
    NodeView view = pass.view();
    if (!view.isKept() && view.effective().setAside().contains(EffectiveNode.RESET)) {
      pass.offer(
          Rank.UpToDate.REFUSED,
          ConditionProposal.no(
              StallReason.SIGNING_STATE_UNKNOWN, REFUSED.formatted(Names.claim(pass.node()))));
    }
  }

  void pod(SeiNode node, PodParts pod) {
    DataResetContainer.render(node).ifPresent(pod::first);
  }

  private static Optional<ObjectEvent> event(SeiNodeStatus before, SeiNodeStatus after) {
    return Optional.ofNullable(after.dataReset())
        .filter(reset -> reset.claimUid() != null && !reset.equals(before.dataReset()))
        .map(
            reset ->
                reset.completedAt() == null
                    ? warning(
                        "DataReset", "wiping the chain data; node key and signing state are kept")
                    : normal("DataResetComplete", "the node runs again after its data was wiped"));
  }

  /** Records what {@code spec.dataResetGeneration} asks for. */
  Next observe(NodePass pass) {
    NodeView view = pass.view();
    if (view.stored().awaitsNewData() && view.isRunning()) {
      DataReset done = view.stored().dataReset().withCompletedAt(view.now());
      pass.update(status -> status.withDataReset(done));
      return Next.goOn();
    }
    Long wanted = pass.node().getSpec().dataResetGeneration();
    if (!isWanted(pass.node().getSpec(), view.stored())) {
      return Next.goOn();
    }
    Optional<PersistentVolumeClaim> claim =
        isNew(view.stored()) ? Optional.empty() : dataClaim.read(pass);
    if (claim.isPresent() && dataClaim.forgetUpgrades(pass, claim.get())) {
      // The next pass observes the claim without them.
      return Next.writeFirst("data-reset");
    }
    String uid = claim.map(own -> own.getMetadata().getUid()).orElse(null);
    var reset = new DataReset(wanted, uid, uid == null ? null : view.now(), null);
    pass.update(status -> uid == null ? status.withDataReset(reset) : startingOver(status, reset));
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
            builder ->
                builder
                    .phase(NodePhase.INITIALIZING)
                    .podBaseline(status.podBaseline())
                    .sidecar(status.sidecar())
                    .plan(ofEarlierData(status.plan()))
                    .dataClaimUid(status.dataClaimUid())
                    .dataVolume(status.dataVolume())
                    .restoredFrom(status.restoredFrom())
                    .dataReset(reset));
  }

  /**
   * Keeps an active plan, so that its open tasks are concluded, but as an update: tasks of an init
   * plan on the old data do not count.
   */
  private static TaskPlan ofEarlierData(TaskPlan plan) {
    return plan == null || !plan.isActive() ? null : plan.withKind(PlanKind.UPDATE);
  }
}
