package io.sei.operator.node.status;

import static io.sei.operator.reconcile.Verdict.no;
import static io.sei.operator.reconcile.Verdict.yes;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PutOff;
import io.sei.operator.node.model.Rank;
import io.sei.operator.reconcile.Arbiter;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Names;
import java.util.Optional;

/** PURE: decides the condition UpToDate of a node. */
final class UpToDate {

  private UpToDate() {}

  /**
   * What it says.
   *
   * @param plan unless it has just completed
   */
  static Verdict of(NodeReconcile reconcile, Optional<TaskPlan> plan) {
    NodeSnapshot snapshot = reconcile.snapshot();
    return new Arbiter<>(Rank.UpToDate.class, reconcile::offered)
        .offer(Rank.UpToDate.PLAN, () -> plan.map(UpToDate::planned))
        .offer(
            Rank.UpToDate.OBSTACLE,
            () -> reconcile.obstacle().map(it -> no(NodeReason.CONFLICT, it)))
        .offer(
            Rank.UpToDate.IMAGE_BEHIND_UPGRADE,
            () ->
                snapshot
                    .upgrades()
                    .refusing(snapshot.declaredImage())
                    .map(it -> behind(snapshot, it)))
        .offer(
            Rank.UpToDate.OTHER_CLAIM,
            reconcile.claimRefusal().isPresent(),
            no(
                StallReason.SIGNING_STATE_UNKNOWN,
                "claim %s is not the one that the node used before, which has the record of what the validator has signed; to go on without that, set spec.validator.acceptSigningStateLoss to the uid of this claim"
                    .formatted(Names.claim(reconcile.node()))))
        .offer(Rank.UpToDate.REFUSED, () -> reconcile.refusals().finding().map(Verdict::no))
        .offer(
            Rank.UpToDate.DATA_AT_RISK,
            () ->
                PutOff.of(snapshot)
                    .map(it -> PutOff.because(snapshot, it))
                    .map(it -> no(NodeReason.DATA_VOLUME_AT_RISK, it)))
        .offer(Rank.UpToDate.POD, () -> Optional.of(pod(reconcile)))
        .verdict();
  }

  private static Verdict planned(TaskPlan plan) {
    return plan.isFailed()
        ? no(NodeReason.PLAN_FAILED, NodeEvents.failure(plan))
        : no(NodeReason.PLAN_ACTIVE, "a plan (" + plan.kind() + ") is active, see status.plan");
  }

  private static Verdict behind(NodeSnapshot snapshot, UpgradeStatus newer) {
    return no(
        NodeReason.IMAGE_BEHIND_UPGRADE,
        "image %s is older than upgrade \"%s\", which this volume has been through; running %s; set spec.image to that or a newer one"
            .formatted(snapshot.declaredImage(), newer.name(), snapshot.node().getSpec().image()));
  }

  private static Verdict pod(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    SeiNodeStatus status = reconcile.status();
    // An upgrade that was just recorded is not in the snapshot yet.
    String image =
        snapshot.upgrades(status).image(snapshot.node().getSpec(), snapshot.declaredImage());
    boolean upToDate =
        snapshot.specHash().equals(status.podSpecHash())
            && image.equals(status.currentImage())
            && (status.config() == null || status.config().hash().equals(snapshot.configHash()));
    return upToDate
        ? yes(
            NodeReason.UP_TO_DATE,
            "the pod runs what the spec asks for"
                + snapshot.imageRewrite().map(it -> "; " + it).orElse(""))
        : no(NodeReason.OUTDATED, "the pod does not run what the spec asks for");
  }
}
