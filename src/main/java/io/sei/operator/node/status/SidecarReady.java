package io.sei.operator.node.status;

import static io.sei.operator.reconcile.Verdict.no;
import static io.sei.operator.reconcile.Verdict.unknown;
import static io.sei.operator.reconcile.Verdict.yes;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.node.model.KeptBack;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.SidecarAbilities;
import io.sei.operator.reconcile.Arbiter;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.sidecar.SidecarHealth;
import java.util.Optional;

/** PURE: what decides the condition SidecarReady of a node, first what goes before all others. */
enum SidecarReady {
  NO_POD,
  UNSUPPORTED,
  /** A plan takes a sidecar through not being ready; that is its business and not reported. */
  NOT_ASKED,
  KEPT_BACK,
  ANSWERED;

  /**
   * What it says.
   *
   * @param keptBack whether seid is to be kept from running
   */
  static Verdict of(NodeReconcile reconcile, Optional<KeptBack> keptBack) {
    NodeSnapshot snapshot = reconcile.snapshot();
    boolean active = reconcile.status().plan() != null && reconcile.status().plan().isActive();
    boolean noPod = snapshot.livePod().isEmpty();
    Optional<SidecarHealth> health = snapshot.sidecar();
    boolean planned = active && !health.equals(Optional.of(SidecarHealth.READY));
    return new Arbiter<>(SidecarReady.class)
        .offer(
            NO_POD,
            noPod && !active,
            unknown(NodeReason.NO_POD, "the node has no pod, so no sidecar"))
        .offer(
            UNSUPPORTED,
            () ->
                SidecarAbilities.lackedByPlan(reconcile)
                    .map(it -> no(NodeReason.SIDECAR_UNSUPPORTED, it)))
        .offer(NOT_ASKED, noPod || planned || health.isEmpty(), earlier(reconcile, noPod))
        .offer(
            KEPT_BACK,
            () ->
                keptBack
                    .filter(it -> health.equals(Optional.of(SidecarHealth.NOT_READY)))
                    .map(KeptBack::sidecar))
        .offer(ANSWERED, () -> health.map(SidecarReady::answered))
        .verdict();
  }

  private static Verdict earlier(NodeReconcile reconcile, boolean noPod) {
    return reconcile
        .said(NodeConditionType.SIDECAR_READY)
        .filter(said -> !noPod && !NodeReason.NO_POD.is(said.reason().toString()))
        .orElse(
            unknown(
                NodeReason.SIDECAR_NOT_PROBED,
                "the sidecar of the new pod has not been probed yet"));
  }

  private static Verdict answered(SidecarHealth health) {
    return switch (health) {
      case READY -> yes(NodeReason.SIDECAR_READY, "the sidecar is ready");
      case NOT_READY -> no(NodeReason.SIDECAR_NOT_READY, "the sidecar waits for mark-ready");
      case UNREACHABLE -> unknown(NodeReason.SIDECAR_UNREACHABLE, "the sidecar does not respond");
      case FORBIDDEN ->
          unknown(
              NodeReason.SIDECAR_FORBIDDEN,
              "the proxy of the sidecar refuses the health probe, which must not need a token");
      case UNKNOWN -> unknown(NodeReason.SIDECAR_NOT_PROBED, "the sidecar has not been probed");
    };
  }
}
