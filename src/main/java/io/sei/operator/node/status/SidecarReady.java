package io.sei.operator.node.status;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.unknown;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.node.feature.SidecarAbilities;
import io.sei.operator.reconcile.Arbiter;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.sidecar.SidecarHealth;
import java.util.Optional;

/** PURE: decides the condition SidecarReady of a node. */
final class SidecarReady {

  private SidecarReady() {}

  /** Returns the proposal. */
  static ConditionProposal of(NodePass pass) {
    NodeView view = pass.view();
    boolean active = pass.draft().plan() != null && pass.draft().plan().isActive();
    boolean noPod = view.livePod().isEmpty();
    Optional<SidecarHealth> health = view.sidecar();
    boolean planned = active && !health.equals(Optional.of(SidecarHealth.READY));
    return new Arbiter<>(Rank.SidecarReady.class, pass::offered)
        .offer(
            Rank.SidecarReady.NO_POD,
            noPod && !active,
            unknown(NodeReason.NO_POD, "the node has no pod, so no sidecar"))
        .offer(
            Rank.SidecarReady.UNSUPPORTED,
            () ->
                SidecarAbilities.lackedByPlan(pass)
                    .map(text -> no(NodeReason.SIDECAR_UNSUPPORTED, text)))
        .offer(
            Rank.SidecarReady.NOT_ASKED, noPod || planned || health.isEmpty(), earlier(pass, noPod))
        .offer(
            Rank.SidecarReady.ANSWERED,
            () -> health.map(sidecarHealth -> answered(sidecarHealth, view.isHeld())))
        .verdict();
  }

  private static ConditionProposal earlier(NodePass pass, boolean noPod) {
    return pass.draftedCondition(NodeConditionType.SIDECAR_READY)
        .filter(said -> !noPod && !NodeReason.NO_POD.is(said.reason()))
        .orElse(
            unknown(
                NodeReason.SIDECAR_NOT_PROBED,
                "the sidecar of the new pod has not been probed yet"));
  }

  private static ConditionProposal answered(SidecarHealth health, boolean isHeld) {
    return switch (health) {
      case READY -> yes(NodeReason.SIDECAR_READY, "the sidecar is ready");
      case NOT_READY ->
          isHeld
              ? no(NodeReason.HELD, "the sidecar keeps seid from starting, as it is to be held")
              : no(NodeReason.SIDECAR_NOT_READY, "the sidecar waits for mark-ready");
      case UNREACHABLE -> unknown(NodeReason.SIDECAR_UNREACHABLE, "the sidecar does not respond");
      case FORBIDDEN ->
          unknown(
              NodeReason.SIDECAR_FORBIDDEN,
              "the proxy of the sidecar refuses the health probe, which must not need a token");
      case UNKNOWN -> unknown(NodeReason.SIDECAR_NOT_PROBED, "the sidecar has not been probed");
    };
  }
}
