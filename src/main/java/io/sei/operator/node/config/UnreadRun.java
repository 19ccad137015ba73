package io.sei.operator.node.config;

import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeidStart;
import io.sei.operator.api.v1alpha1.UnreadConfig;
import io.sei.operator.api.v1alpha1.UpdatePolicy.OfConfig;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.sidecar.SidecarHealth;
import java.util.Optional;

/** PURE: whether seid runs with an older configuration than its files have, and may be ended. */
final class UnreadRun {

  private UnreadRun() {}

  /** Whether seid is restarted: for a change of the spec, or as a restart was requested. */
  static boolean isToRestart(NodeView view, UnreadConfig unread) {
    return changesTakeEffect(view) || isRequested(unread);
  }

  /** Whether the end of the recorded run was requested. */
  static boolean isRequested(UnreadConfig unread) {
    return unread != null && unread.request() != null;
  }

  private static boolean changesTakeEffect(NodeView view) {
    return view.node().getSpec().configUpdates().orElse(OfConfig.RESTART) == OfConfig.RESTART;
  }

  /**
   * The record once the files were found valid: the run that is under way has not read them. A run
   * in which seid has yet to be started by the sidecar will.
   */
  static UnreadConfig after(NodePass pass, AppliedConfig before, AppliedConfig now) {
    UnreadConfig known = pass.draft().unreadConfig();
    boolean changed =
        before != null
            && (!now.hash().equals(before.hash())
                || getsFirstPeers(pass, now)
                || (before.keysLeft() != null && now.keysLeft() == null));
    if (!changed) {
      return known;
    }
    boolean isReleased =
        pass.plan().kind() == PlanKind.CONFIG
            ? isReleased(pass.view())
            : pass.view().sidecar().equals(Optional.of(SidecarHealth.READY));
    return run(pass.view()).filter(any -> isReleased).map(run -> of(run, known, pass)).orElse(null);
  }

  private static boolean getsFirstPeers(NodePass pass, AppliedConfig now) {
    return pass.drafted().beganWithoutPeers() && now.peersHash() != null;
  }

  /** The run that ended by the configuration that the node had before; its end is past. */
  static Optional<String> endedBefore(NodePass pass, AppliedConfig before, AppliedConfig now) {
    return before == null || now.hash().equals(before.hash())
        ? Optional.empty()
        : pass.view().livePod().flatMap(pod -> SeidState.of(pod).endedByConfiguration());
  }

  /** The record of a run; one that was asked to end is not asked again. */
  private static UnreadConfig of(String run, UnreadConfig known, NodePass pass) {
    return known != null && run.equals(known.containerID())
        ? known
        : new UnreadConfig(run, pass.now(), null, null, null);
  }

  private static Optional<String> run(NodeView view) {
    return view.livePod().flatMap(pod -> SeidState.of(pod).running());
  }

  /** Whether the node is known to have a run of seid that its sidecar has let start, or none. */
  static boolean isKnown(NodeView view) {
    return !isRunning(view)
        || isReleased(view)
        || view.sidecar().equals(Optional.of(SidecarHealth.NOT_READY));
  }

  /** Whether the sidecar has let seid start: by its own answer, or as the pod is Ready. */
  private static boolean isReleased(NodeView view) {
    return view.sidecar().equals(Optional.of(SidecarHealth.READY))
        || view.livePod().filter(PodFacts::isReady).isPresent();
  }

  /** Adds a request to end the run that is under way to the record; no run may be. */
  static UnreadConfig requested(NodePass pass, String request) {
    NodeView view = pass.view();
    UnreadConfig known = pass.draft().unreadConfig();
    if (!isRunning(view) || !isReleased(view)) {
      return known;
    }
    return of(run(view).orElseThrow(), known, pass).withRequest(request);
  }

  private static boolean isRunning(NodeView view) {
    return !view.isIdle() && run(view).isPresent();
  }

  /** Whether the run that is recorded is still under way. */
  static boolean isUnderWay(NodeView view, UnreadConfig unread) {
    return unread != null && run(view).filter(run -> run.equals(unread.containerID())).isPresent();
  }

  /** Whether a run is known to be over: the node has a pod, and seid in it is in another run. */
  static boolean isOver(NodeView view, UnreadConfig unread) {
    return view.livePod().isPresent() && !isUnderWay(view, unread);
  }

  /**
   * Whether seid replays blocks, migrates its data or restores a state, which must not be
   * interrupted. Without peers it listens at height 0, and its startup probe never succeeds.
   */
  static boolean isStarting(NodeView view, SeidStart start) {
    SeidState seid = SeidState.of(view.livePod().orElse(null));
    Optional<SeidStart> known =
        Optional.ofNullable(start)
            .filter(candidate -> seid.running().filter(candidate::isOf).isPresent());
    boolean lacksBlock = view.height().filter(height -> height == 0).isPresent();
    return known
        .map(seidStart -> !seidStart.hasEnded())
        .orElseGet(() -> !seid.hasStarted() && !lacksBlock);
  }
}
