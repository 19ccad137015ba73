package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.ObservedPod;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Names;
import java.util.Optional;
import java.util.function.Function;

/**
 * Waits until the kubelet has the images of the node's new pod, and records what runs. Readiness is
 * not waited for: a node halted at an upgrade height is unready on purpose.
 */
record ObserveImageTask(
    KubeApi api, Function<NodePass, Optional<Finding>> diagnosis, InPlaceUpdate inPlace) {

  /** Runs the task once. */
  public TaskOutcome run(NodePass pass) {
    Optional<TaskOutcome> early = unless(pass, pass.view().livePod());
    return early.orElseGet(() -> confirm(pass));
  }

  /** Returns the outcome while the pod does not run the target. */
  private Optional<TaskOutcome> unless(NodePass pass, Optional<Pod> pod) {
    if (pod.filter(candidate -> pass.isStale(candidate) || inPlace.fails(pass, candidate))
        .isPresent()) {
      return Optional.of(
          new TaskOutcome.Rewind(
              TaskTypes.REPLACE_POD, "the pod does not match the plan's target"));
    }
    return pod.filter(candidate -> runsTarget(pass, candidate)).isPresent()
        ? Optional.empty()
        : Optional.of(await(pass));
  }

  /**
   * The cache may be behind; what is recorded as running is read live, unless no earlier pod can
   * look like it.
   */
  private TaskOutcome confirm(NodePass pass) {
    Optional<Pod> live =
        pass.view().livePod().filter(pod -> inPlace.isSeen(pass, pod)).or(() -> read(pass));
    Optional<TaskOutcome> early = unless(pass, live);
    if (early.isPresent()) {
      return early.get();
    }
    PlanTarget target = pass.stored().plan().target();
    String sidecar =
        live.flatMap(pod -> PodFacts.image(pod, Names.SIDECAR)).orElse(target.sidecarImage());
    pass.update(
        status ->
            status.with(
                builder ->
                    builder
                        .currentImage(target.image())
                        .currentSidecarImage(sidecar)
                        .podSpecHash(target.specHash())));
    return TaskOutcome.done();
  }

  private Optional<Pod> read(NodePass pass) {
    return api.get(Pod.class, pass.namespace(), Names.pod(pass.node()))
        .map(pod -> ObservedPod.update(pod, pass.stored().podUpdate()))
        .filter(pod -> !PodFacts.isTerminating(pod) && pass.view().isOwned(pod));
  }

  private TaskOutcome await(NodePass pass) {
    return diagnosis
        .apply(pass)
        .map(finding -> Refused.waitFor(finding, Recheck.BACKSTOP))
        .orElseGet(
            () ->
                TaskOutcome.waitFor(
                    NodeReason.POD_STARTING,
                    "waiting for the kubelet to pull the images of the new pod"
                        + pass.view()
                            .imageRewrite()
                            .map(imageRewrite -> "; " + imageRewrite)
                            .orElse(""),
                    Recheck.BACKSTOP));
  }

  /**
   * Returns whether a pod runs the images of the plan. Its stamp says what it was asked to run, but
   * admission may have undone a patch in place and left the stamp, and a pod that is kept for its
   * data is not given up for that.
   */
  private static boolean runsTarget(NodePass pass, Pod pod) {
    PlanTarget target = pass.stored().plan().target();
    PodUpdate update = pass.stored().podUpdate();
    if (ObservedPod.isCarriedOut(pod, update) && !ObservedPod.hasImages(pod, update)) {
      return false;
    }
    return pass.view().imageOf(pod).equals(Optional.of(target.image()))
        && PodFacts.imageId(pod, Names.SEID).isPresent()
        && PodFacts.imageId(pod, Names.SIDECAR).isPresent();
  }
}
