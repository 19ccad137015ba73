package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.RestartBackOff;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Reports that the kubelet backs off from starting seid after a run that the operator ended, or
 * that had read an earlier configuration, and has the pod replaced where that is faster. Such a run
 * is {@code status.endedRun}, which the snapshot's pod does not show.
 */
public final class RestartBackOffs {

  /** Remaining back-off up to which the pod is not replaced. */
  private static final Duration SHORT = Duration.ofSeconds(10);

  private final Function<SeiNode, Optional<Pod>> reported;
  private final Predicate<Pod> machineTakesPods;
  private final PerObjectMap<ResourceID, PodReplacement> replacements;

  /**
   * @param reported the pod of a node as its kubelet reports it
   * @param machineTakesPods whether the Kubernetes node of a pod is Ready and not cordoned
   */
  public RestartBackOffs(
      Function<SeiNode, Optional<Pod>> reported,
      PerObjectState<ResourceID> memory,
      Predicate<Pod> machineTakesPods) {
    this.reported = reported;
    this.machineTakesPods = machineTakesPods;
    this.replacements = memory.newMap();
  }

  /** Trigger of the plan that replaces a pod in a back-off. */
  Optional<PlanTrigger> ofBackOff(NodeView view) {
    if (!view.isRunning() || view.stored().unreadConfig() != null) {
      return Optional.empty();
    }
    Optional<Pod> pod = backingOff(view).filter(candidate -> isToBeReplaced(view, candidate));
    if (pod.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        PlanTrigger.of(
            PlanTrigger.Rank.START,
            PlanKind.UPDATE,
            "the kubelet would start seid at %s, and a new pod starts it sooner"
                .formatted(RestartBackOff.of(pod.get()).orElseThrow().endsAt().orElseThrow())));
  }

  /** The node's pod as the kubelet reports it, if it may be in a back-off of this kind. */
  private Optional<Pod> backingOff(NodeView view) {
    return view.stored().endedRun() == null || view.livePod().isEmpty()
        ? Optional.empty()
        : reported.apply(view.node());
  }

  /**
   * Returns whether a new pod would start seid sooner than the kubelet starts it in this one.
   *
   * @param pod as its kubelet reports it
   */
  boolean isToBeReplaced(NodeView view, Pod pod) {
    Optional<RestartBackOff> backOff = ofEndedRun(view.stored().endedRun(), pod);
    if (backOff.isEmpty() || view.isKept() || view.isPaused()) {
      return false;
    }
    Duration left = backOff.get().left(view.now());
    Duration replacement =
        replacements
            .get(ResourceID.fromResource(view.node()))
            .flatMap(PodReplacement::lastTook)
            .orElse(PodReplacement.UNKNOWN);
    return left.compareTo(SHORT) > 0
        && left.compareTo(replacement) > 0
        && machineTakesPods.test(pod);
  }

  private static Optional<RestartBackOff> ofEndedRun(String endedRun, Pod pod) {
    return endedRun == null
        ? Optional.empty()
        : RestartBackOff.of(pod).filter(backOff -> backOff.run().equals(endedRun));
  }

  void record(NodePass pass) {
    measure(pass);
    NodeView view = pass.drafted();
    backingOff(view)
        .flatMap(pod -> ofEndedRun(view.stored().endedRun(), pod))
        .ifPresent(
            backOff ->
                pass.offer(
                    Rank.Ready.POD_NOT_READY,
                    ConditionProposal.no(NodeReason.RESTART_BACK_OFF, describe(backOff))));
  }

  private void measure(NodePass pass) {
    ResourceID node = ResourceID.fromResource(pass.node());
    Optional<Pod> pod = pass.view().ownedPod();
    replacements.compute(
        node,
        known ->
            pass.view().isPaused()
                ? PodReplacement.interrupted(known)
                : pod.map(next -> PodReplacement.after(known, next, pass.now())).orElse(known));
  }

  private static String describe(RestartBackOff backOff) {
    String why =
        backOff.isAfterCrash()
            ? "the configuration was changed after seid crashed with exit code "
                + backOff.exitCode()
            : "seid was ended for a restart";
    return backOff
        .endsAt()
        .map(end -> why + "; the kubelet backs off and starts it again at " + end)
        .orElse(why + "; the kubelet backs off and starts it again within five minutes");
  }
}
