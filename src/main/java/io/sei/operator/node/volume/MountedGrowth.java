package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimCondition;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.VolumeGrowth;
import io.sei.operator.base.Recheck;
import io.sei.operator.base.Times;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodDeletion;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Replaces the pod of a volume whose file system does not grow while it is mounted, where seid has
 * died of a full disk: nothing is interrupted. The pod is recorded first, one for each size.
 *
 * @param vetoes is asked before the pod is deleted
 */
record MountedGrowth(PodDeletion deletion, Vetoes vetoes) {

  /** A kubelet that can grow a mounted file system does so in seconds. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Deletes the pod that is recorded, if seid still does not run in it. */
  void replace(NodePass pass) {
    SeiNodeStatus stored = pass.stored();
    Optional<String> recorded = last(pass, stored).map(VolumeGrowth::replacedPod);
    Optional<Pod> pod =
        idlePod(pass, stored)
            .filter(idle -> recorded.equals(Optional.of(idle.getMetadata().getUid())));
    if (pod.isPresent() && pendingSince(pass, stored).isPresent()) {
      switch (vetoes.ask(IrreversibleAct.END_POD, pass)) {
        case Veto.None _ -> {
          // A delete that is refused means that the pod has changed: it is looked at again.
          deletion.of(pass, pod.get());
          pass.recheckAfter(Recheck.BACKSTOP);
        }
        case Veto.WriteFirst _ -> pass.recheckAfter(Recheck.RACE);
        case Veto.Refusal no -> pass.recheckAfter(no.recheck());
      }
    }
  }

  /** Records the pod, once the kubelet has had its time. */
  static void decide(NodePass pass, Optional<Finding> finding) {
    Optional<Pod> pod = idlePod(pass, pass.draft());
    Optional<Instant> since = pendingSince(pass, pass.draft());
    if (!AutoGrowth.isFull(pass, finding) || pod.isEmpty() || since.isEmpty() || isReplaced(pass)) {
      return;
    }
    Duration left = Duration.between(pass.now(), since.get().plus(PATIENCE));
    if (left.isPositive()) {
      pass.recheckAfter(left);
      return;
    }
    VolumeGrowth growth = growth(pass).withReplacedPod(pod.get().getMetadata().getUid());
    pass.update(status -> status.withVolumeGrowth(growth));
    pass.recheckAfter(Recheck.RACE);
  }

  private static boolean isReplaced(NodePass pass) {
    return ofThisSize(pass).map(VolumeGrowth::replacedPod).isPresent();
  }

  private static VolumeGrowth growth(NodePass pass) {
    VolumeSize size = VolumeSize.of(pass).orElseThrow();
    return ofThisSize(pass)
        .orElseGet(
            () ->
                new VolumeGrowth(
                    pass.view().claim().orElseThrow().getMetadata().getUid(),
                    size.capacity().toString(),
                    size.requested().toString(),
                    pass.now(),
                    null));
  }

  private static Optional<VolumeGrowth> ofThisSize(NodePass pass) {
    return VolumeSize.of(pass)
        .flatMap(
            size ->
                last(pass, pass.draft())
                    .filter(it -> it.target().equals(Optional.of(size.requested()))));
  }

  private static Optional<VolumeGrowth> last(NodePass pass, SeiNodeStatus status) {
    return pass.view().claim().flatMap(claim -> VolumeSize.last(status, claim));
  }

  /** The pod, if no plan is about to do something with it and seid does not run in it. */
  private static Optional<Pod> idlePod(NodePass pass, SeiNodeStatus status) {
    TaskPlan plan = status.plan();
    return plan != null && plan.isActive()
        ? Optional.empty()
        : pass.view().livePod().filter(pod -> !PodFacts.runs(pod, Names.SEID));
  }

  /** Since when the volume has grown, and its file system has not. */
  private static Optional<Instant> pendingSince(NodePass pass, SeiNodeStatus status) {
    return pass.view()
        .claim()
        .filter(
            claim ->
                VolumeSize.of(pass.node(), status, claim)
                    .filter(size -> !size.isReached())
                    .isPresent())
        .flatMap(MountedGrowth::pending)
        .flatMap(condition -> Times.parse(condition.getLastTransitionTime()));
  }

  /** Condition of a claim whose file system has yet to grow. */
  static Optional<PersistentVolumeClaimCondition> pending(PersistentVolumeClaim claim) {
    return claim.getStatus().getConditions().stream()
        .filter(it -> "FileSystemResizePending".equals(it.getType()))
        .filter(it -> "True".equals(it.getStatus()))
        .findFirst();
  }
}
