package io.sei.operator.node.status;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PutOff;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.reconcile.Arbiter;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import java.util.Optional;

/** PURE: decides the condition UpToDate of a node. */
final class UpToDate {

  private UpToDate() {}

  /**
   * Returns the proposal.
   *
   * @param plan unless it has just completed
   */
  static ConditionProposal of(NodePass pass, Optional<TaskPlan> plan) {
    NodeView view = pass.view();
    return new Arbiter<>(Rank.UpToDate.class, pass::offered)
        .offer(Rank.UpToDate.PLAN, () -> plan.map(UpToDate::planned))
        .offer(
            Rank.UpToDate.OBSTACLE,
            () -> pass.obstacle().map(obstacle -> no(NodeReason.CONFLICT, obstacle)))
        .offer(
            Rank.UpToDate.IMAGE_BEHIND_UPGRADE,
            () ->
                view.upgrades()
                    .refusing(view.declaredImage())
                    .map(upgrade -> behind(view, upgrade)))
        .offer(
            Rank.UpToDate.OTHER_CLAIM,
            pass.claimRefusal().isPresent(),
            no(
                StallReason.SIGNING_STATE_UNKNOWN,
                "claim %s is not the one that the node used before, which has the record of what the validator has signed; to go on without that, set spec.validator.acceptSigningStateLoss to the uid of this claim"
                    .formatted(Names.claim(pass.node()))))
        .offer(Rank.UpToDate.REFUSED, () -> pass.refusals().finding().map(ConditionProposal::no))
        .offer(
            Rank.UpToDate.DATA_AT_RISK,
            () ->
                PutOff.of(view)
                    .map(text -> PutOff.because(view, text))
                    .map(text -> no(NodeReason.DATA_VOLUME_AT_RISK, text)))
        .offer(Rank.UpToDate.POD, () -> Optional.of(pod(pass)))
        .verdict();
  }

  private static ConditionProposal planned(TaskPlan plan) {
    return plan.isFailed()
        ? no(NodeReason.PLAN_FAILED, NodeEvents.failure(plan))
        : no(NodeReason.PLAN_ACTIVE, "a plan (" + plan.kind() + ") is active, see status.plan");
  }

  private static ConditionProposal behind(NodeView view, UpgradeStatus newer) {
    return no(
        NodeReason.IMAGE_BEHIND_UPGRADE,
        "image %s is older than upgrade \"%s\", which this volume has been through; running %s; set spec.image to that or a newer one"
            .formatted(view.declaredImage(), newer.name(), view.node().getSpec().image()));
  }

  private static ConditionProposal pod(NodePass pass) {
    NodeView view = pass.view();
    SeiNodeStatus status = pass.draft();
    // An upgrade that was just recorded is not in the snapshot yet.
    String image = view.upgrades(status).image(view.node().getSpec(), view.declaredImage());
    boolean upToDate =
        view.specHash().equals(status.podSpecHash())
            && image.equals(status.currentImage())
            && (status.config() == null || status.config().hash().equals(view.configHash()));
    return upToDate
        ? yes(
            NodeReason.UP_TO_DATE,
            "the pod runs what the spec asks for"
                + view.imageRewrite().map(imageRewrite -> "; " + imageRewrite).orElse(""))
        : no(NodeReason.OUTDATED, "the pod does not run what the spec asks for");
  }
}
