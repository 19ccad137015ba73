package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.Kept;
import io.sei.operator.base.Memory;
import io.sei.operator.diagnosis.RestartBackOff;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.Rank;
import io.sei.operator.plan.Aim;
import io.sei.operator.reconcile.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Reports that the kubelet backs off from starting seid after a run that the operator ended, or
 * that had read an earlier configuration, and has the pod replaced where that is faster. Such a run
 * is {@code status.endedRun}, which the snapshot's pod does not show.
 */
public final class RestartBackOffs implements NodeFeature {

  /** Remaining back-off up to which the pod is not replaced. */
  private static final Duration SHORT = Duration.ofSeconds(10);

  private final Function<SeiNode, Optional<Pod>> reported;
  private final Predicate<Pod> machineTakesPods;
  private final Kept<ResourceID, PodReplacement> replacements;

  /**
   * @param reported the pod of a node as its kubelet reports it
   * @param machineTakesPods whether the Kubernetes node of a pod is Ready and not cordoned
   */
  public RestartBackOffs(
      Function<SeiNode, Optional<Pod>> reported,
      Memory<ResourceID> memory,
      Predicate<Pod> machineTakesPods) {
    this.reported = reported;
    this.machineTakesPods = machineTakesPods;
    this.replacements = memory.compartment();
  }

  @Override
  public List<Aim> aims(NodeSnapshot snapshot, Aim.Over over) {
    if (over != Aim.Over.NONE
        || !snapshot.isRunning()
        || snapshot.status().unreadConfig() != null) {
      return List.of();
    }
    Optional<Pod> pod =
        backingOff(snapshot).filter(candidate -> isToBeReplaced(snapshot, candidate));
    if (pod.isEmpty()) {
      return List.of();
    }
    return List.of(
        Aim.of(
            Aim.Rank.START,
            PlanKind.UPDATE,
            "the kubelet would start seid at %s, and a new pod starts it sooner"
                .formatted(RestartBackOff.of(pod.get()).orElseThrow().endsAt().orElseThrow())));
  }

  /** The node's pod as the kubelet reports it, if it may be in a back-off of this kind. */
  private Optional<Pod> backingOff(NodeSnapshot snapshot) {
    return snapshot.status().endedRun() == null || snapshot.livePod().isEmpty()
        ? Optional.empty()
        : reported.apply(snapshot.node());
  }

  /**
   * Whether a pod is replaced because its kubelet would start seid later than a new pod does.
   *
   * @param pod as its kubelet reports it
   */
  boolean isToBeReplaced(NodeSnapshot snapshot, Pod pod) {
    Optional<RestartBackOff> backOff = ofEndedRun(snapshot.status().endedRun(), pod);
    if (backOff.isEmpty() || snapshot.isKept() || snapshot.isPaused()) {
      return false;
    }
    Duration left = backOff.get().left(snapshot.now());
    Duration replacement =
        replacements
            .get(ResourceID.fromResource(snapshot.node()))
            .flatMap(PodReplacement::lastTook)
            .orElse(PodReplacement.UNKNOWN);
    return left.compareTo(SHORT) > 0
        && left.compareTo(replacement) > 0
        && machineTakesPods.test(pod);
  }

  private static Optional<RestartBackOff> ofEndedRun(String endedRun, Pod pod) {
    return endedRun == null
        ? Optional.empty()
        : RestartBackOff.of(pod).filter(it -> it.run().equals(endedRun));
  }

  @Override
  public void record(NodeReconcile pass) {
    measure(pass);
    NodeSnapshot snapshot = pass.snapshot().withStatus(pass.status());
    backingOff(snapshot)
        .flatMap(pod -> ofEndedRun(snapshot.status().endedRun(), pod))
        .ifPresent(
            backOff ->
                pass.offer(
                    Rank.Ready.POD_NOT_READY,
                    Verdict.no(NodeReason.RESTART_BACK_OFF, describe(backOff))));
  }

  private void measure(NodeReconcile pass) {
    ResourceID node = ResourceID.fromResource(pass.node());
    Optional<Pod> pod = pass.snapshot().ownedPod();
    replacements.compute(
        node,
        known ->
            pass.snapshot().isPaused()
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
