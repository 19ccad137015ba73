package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PodSince;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.Refused;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Names;
import java.util.Optional;
import java.util.function.Function;

/**
 * Waits until the kubelet has the images of the node's new pod, and records what runs. Readiness is
 * not waited for: a node halted at an upgrade height is unready on purpose.
 */
record ObserveImageTask(
    KubeApi api, Function<NodeReconcile, Optional<Finding>> diagnosis, InPlaceUpdate inPlace) {

  /** Runs the task once. */
  public TaskOutcome run(NodeReconcile reconcile) {
    Optional<TaskOutcome> early = unless(reconcile, reconcile.snapshot().livePod());
    return early.orElseGet(() -> confirm(reconcile));
  }

  /** What becomes of the task while the pod does not run the target. */
  private Optional<TaskOutcome> unless(NodeReconcile reconcile, Optional<Pod> pod) {
    if (pod.filter(it -> reconcile.isStale(it) || inPlace.fails(reconcile, it)).isPresent()) {
      return Optional.of(
          new TaskOutcome.Rewind(
              TaskTypes.REPLACE_POD, "the pod does not match the plan's target"));
    }
    return pod.filter(it -> runsTarget(reconcile, it)).isPresent()
        ? Optional.empty()
        : Optional.of(await(reconcile));
  }

  /**
   * The cache may be behind; what is recorded as running is read live, unless no earlier pod can
   * look like it.
   */
  private TaskOutcome confirm(NodeReconcile reconcile) {
    Optional<Pod> live =
        reconcile
            .snapshot()
            .livePod()
            .filter(pod -> inPlace.isSeen(reconcile, pod))
            .or(() -> read(reconcile));
    Optional<TaskOutcome> early = unless(reconcile, live);
    if (early.isPresent()) {
      return early.get();
    }
    PlanTarget target = reconcile.status().plan().target();
    String sidecar =
        live.flatMap(pod -> PodFacts.image(pod, Names.SIDECAR)).orElse(target.sidecarImage());
    reconcile.update(
        status ->
            status.with(
                it ->
                    it.currentImage(target.image())
                        .currentSidecarImage(sidecar)
                        .podSpecHash(target.specHash())));
    return TaskOutcome.done();
  }

  private Optional<Pod> read(NodeReconcile reconcile) {
    return api.get(Pod.class, reconcile.namespace(), Names.pod(reconcile.node()))
        .map(pod -> PodSince.update(pod, reconcile.status().podUpdate()))
        .filter(pod -> !PodFacts.isTerminating(pod) && reconcile.snapshot().isOwned(pod));
  }

  private TaskOutcome await(NodeReconcile reconcile) {
    return diagnosis
        .apply(reconcile)
        .map(finding -> Refused.waitFor(finding, Recheck.BACKSTOP))
        .orElseGet(
            () ->
                TaskOutcome.waitFor(
                    NodeReason.POD_STARTING,
                    "waiting for the kubelet to pull the images of the new pod"
                        + reconcile.snapshot().imageRewrite().map(it -> "; " + it).orElse(""),
                    Recheck.BACKSTOP));
  }

  /**
   * Whether a pod runs the images of the plan. Its stamp says what it was asked to run, but
   * admission may have undone a patch in place and left the stamp, and a pod that is kept for its
   * data is not given up for that.
   */
  private static boolean runsTarget(NodeReconcile reconcile, Pod pod) {
    PlanTarget target = reconcile.status().plan().target();
    PodUpdate update = reconcile.status().podUpdate();
    if (PodSince.isCarriedOut(pod, update) && !PodSince.hasImages(pod, update)) {
      return false;
    }
    return reconcile.snapshot().imageOf(pod).equals(Optional.of(target.image()))
        && PodFacts.imageId(pod, Names.SEID).isPresent()
        && PodFacts.imageId(pod, Names.SIDECAR).isPresent();
  }
}
