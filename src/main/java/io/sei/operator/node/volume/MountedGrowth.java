package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimCondition;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.Recheck;
import io.sei.operator.base.Times;
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
 * died of a full disk: nothing is interrupted. A pod that was created after the volume had grown
 * has mounted it again, and is not replaced.
 *
 * @param growth knows which volumes are full
 * @param vetoes is asked before the pod is deleted
 */
record MountedGrowth(AutoGrowth growth, PodDeletion deletion, Vetoes vetoes) {

  /** A kubelet that can grow a mounted file system does so in seconds. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Deletes the pod, if it has to be replaced. */
  void replace(NodePass pass) {
    Optional<Pod> pod = toReplace(pass);
    if (pod.isEmpty()) {
      return;
    }
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

  /** The pod to replace, once the kubelet has had its time. */
  Optional<Pod> toReplace(NodePass pass) {
    Optional<Instant> since = pendingSince(pass);
    if (!growth.isFull(pass) || since.isEmpty()) {
      return Optional.empty();
    }
    Optional<Pod> pod = idlePod(pass).filter(idle -> !isCreatedAfter(idle, since.get()));
    Duration left = Duration.between(pass.now(), since.get().plus(PATIENCE));
    if (pod.isPresent() && left.isPositive()) {
      pass.recheckAfter(left);
      return Optional.empty();
    }
    return pod;
  }

  private static boolean isCreatedAfter(Pod pod, Instant since) {
    return Times.parse(pod.getMetadata().getCreationTimestamp())
        .filter(since::isBefore)
        .isPresent();
  }

  /** The pod, if no plan is about to do something with it and seid does not run in it. */
  private static Optional<Pod> idlePod(NodePass pass) {
    TaskPlan plan = pass.stored().plan();
    return plan != null && plan.isActive()
        ? Optional.empty()
        : pass.view().livePod().filter(pod -> !PodFacts.runs(pod, Names.SEID));
  }

  /** Returns the time since which the volume has grown, and its file system has not. */
  private static Optional<Instant> pendingSince(NodePass pass) {
    return VolumeSize.of(pass).filter(size -> !size.isReached()).isEmpty()
        ? Optional.empty()
        : pending(pass.view().claim().orElseThrow())
            .flatMap(condition -> Times.parse(condition.getLastTransitionTime()));
  }

  /** Condition of a claim whose file system has yet to grow. */
  static Optional<PersistentVolumeClaimCondition> pending(PersistentVolumeClaim claim) {
    return claim.getStatus().getConditions().stream()
        .filter(condition -> "FileSystemResizePending".equals(condition.getType()))
        .filter(condition -> "True".equals(condition.getStatus()))
        .findFirst();
  }
}
