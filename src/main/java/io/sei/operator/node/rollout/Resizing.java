package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.ObservedPod;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PodResize;
import io.sei.operator.kube.ApiErrors;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a running pod other resources by its subresource {@code resize}, which Kubernetes has since
 * 1.33, and waits until the kubelet has applied them. A Ready pod is not deleted because there is
 * no room for what it is to get: its node works on with what it has.
 *
 * @param isOverdue whether a kubelet that reports has had its time for what is recorded
 */
record Resizing(KubeApi api, NodeCaches caches, BiPredicate<NodePass, Pod> isOverdue) {

  private static final Logger log = LoggerFactory.getLogger(Resizing.class);

  private static final String SUBRESOURCE = "resize";

  private static final String NEXT_STEP =
      "free some on its Kubernetes node, request less, or have the pod replaced: set the annotation"
          + " sei.io/restart-requested-at";

  /**
   * Done if the kubelet has applied what is recorded, or nothing is.
   *
   * @throws KubernetesClientException if the API server fails
   */
  TaskOutcome to(NodePass pass, Pod pod, PodUpdate update) {
    if (update.resized().isEmpty()) {
      return TaskOutcome.done();
    }
    if (!PodResize.isSpecified(pod, update.resized())) {
      return ask(pass, pod, update);
    }
    return PodResize.isApplied(pod, update.resized())
        ? TaskOutcome.done()
        : await(pass, pod, update);
  }

  /**
   * Done unless the pod has yet to get back what it had before an update that was withdrawn.
   *
   * @throws KubernetesClientException if the API server fails
   */
  TaskOutcome back(NodePass pass) {
    PodUpdate update = pass.stored().podUpdate();
    return pass.view()
        .livePod()
        .filter(pod -> ObservedPod.isCarriedOut(pod, update) && update.isWithdrawn())
        .map(pod -> to(pass, pod, update).then(() -> forget(pass)))
        .orElseGet(TaskOutcome::done);
  }

  private static TaskOutcome forget(NodePass pass) {
    pass.update(status -> status.withPodUpdate(null));
    return TaskOutcome.done();
  }

  private TaskOutcome ask(NodePass pass, Pod pod, PodUpdate update) {
    try {
      return PodResize.isSpecified(send(pod, update.resized()), update.resized())
          ? TaskOutcome.waitFor(
              StallReason.POD_RESIZE_PENDING, "waiting for the kubelet", Recheck.BACKSTOP)
          : PatchFailure.giveUp(
              pass,
              NodeReason.POD_PATCH_CHANGED.toString(),
              "admission control made something else of the pod's resources than was asked for");
    } catch (RefusedException e) {
      return isKept(pod, e)
          ? report(
              pass,
              finding(update, "the API server refuses that: " + e.getMessage(), true),
              Recheck.REFUSED)
          : PatchFailure.giveUp(pass, e);
    } catch (KubernetesClientException e) {
      if (isUnserved(e, pod)) {
        return PatchFailure.giveUp(
            pass,
            "NotPossible",
            "its resources change, and the API server cannot resize pods before Kubernetes 1.33");
      }
      return PatchFailure.waitIfChanged(e);
    }
  }

  /**
   * Gives a pod what it is to get.
   *
   * @return the pod as it is now
   */
  Pod send(Pod pod, List<ResizedContainer> resized) {
    Pod answer = api.strategicPatch(pod, SUBRESOURCE, ResizePatch.of(pod, resized));
    log.info(
        "Pod {} (uid {}) was resized: {}",
        pod.getMetadata().getName(),
        pod.getMetadata().getUid(),
        PodResize.words(resized));
    caches.remember(answer, Optional.of(pod));
    return answer;
  }

  /**
   * Returns whether admission control forbids a Ready pod to grow: its Kubernetes node is too small
   * (known to the API server since 1.37), or a quota or a policy is, which a new pod would meet as
   * well.
   */
  private static boolean isKept(Pod pod, RefusedException refusal) {
    return PodFacts.isReady(pod)
        && ApiErrors.isForbidden(refusal)
        && !PatchFailure.isRightMissing(refusal);
  }

  /** A subresource that is not served is not found, and the answer names no pod. */
  private static boolean isUnserved(KubernetesClientException failure, Pod pod) {
    return ApiErrors.isNotFound(failure)
        && Optional.ofNullable(failure.getStatus())
            .map(Status::getDetails)
            .map(StatusDetails::getName)
            .filter(pod.getMetadata().getName()::equals)
            .isEmpty();
  }

  private TaskOutcome await(NodePass pass, Pod pod, PodUpdate update) {
    Optional<String> obstacle = PodResize.obstacle(pod);
    boolean isStuck = obstacle.isPresent() || isOverdue.test(pass, pod);
    boolean mayEnd = !PodFacts.isReady(pod) && !pass.view().isKept();
    if (isStuck && mayEnd) {
      return PatchFailure.giveUp(
          pass,
          "Unchanged",
          obstacle
              .map(text -> "the kubelet does not resize the pod, which is not Ready: " + text)
              .orElse("the kubelet has not resized the pod within the progress deadline"));
    }
    Finding finding =
        finding(
            update,
            "the kubelet has not applied that" + obstacle.map(text -> ": " + text).orElse(""),
            obstacle.filter(text -> text.startsWith("Infeasible")).isPresent());
    return isStuck
        ? report(pass, finding, Recheck.BACKSTOP)
        : Refused.waitFor(finding, Recheck.BACKSTOP);
  }

  private static TaskOutcome report(NodePass pass, Finding finding, Duration recheck) {
    pass.offer(FindingRank.RESIZE_PENDING, finding);
    return Refused.waitFor(finding, recheck);
  }

  private static Finding finding(PodUpdate update, String why, boolean terminal) {
    return new Finding(
        StallReason.POD_RESIZE_PENDING,
        "the pod is to have %s, and %s".formatted(PodResize.words(update.resized()), why),
        NEXT_STEP,
        terminal);
  }
}
