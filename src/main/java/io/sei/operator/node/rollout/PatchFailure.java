package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Text;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.ApiErrors;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;

/** Outcomes of an update in place that the API server does not carry out as requested. */
final class PatchFailure {

  /** Delay after a refused patch, until the caches are up to date. */
  static final Duration RACE_RECHECK = Duration.ofMillis(500);

  private PatchFailure() {}

  /** Records that the pod is deleted instead. */
  static TaskOutcome giveUp(NodePass pass, String reason, String words) {
    pass.update(
        status ->
            status.withPodUpdate(
                status.podUpdate().givenUp(reason, Text.line(words, Finding.MAX_MESSAGE))));
    return TaskOutcome.recording();
  }

  /** Records that the pod is deleted instead, for a refusal of the API server. */
  static TaskOutcome giveUp(NodePass pass, RefusedException refusal) {
    NodeReason reason =
        isRightMissing(refusal) ? NodeReason.POD_PATCH_FORBIDDEN : NodeReason.POD_PATCH_REFUSED;
    return giveUp(pass, reason.toString(), refusal.getMessage());
  }

  /** Returns whether the operator has no right to do it; admission control says 403 as well. */
  static boolean isRightMissing(RefusedException refusal) {
    return ApiErrors.isForbidden(refusal) && refusal.getMessage().contains("cannot patch resource");
  }

  /** Waits if the pod is not as it was read; any other failure is thrown on. */
  static TaskOutcome waitIfChanged(KubernetesClientException failure) {
    if (!ApiErrors.isConflict(failure) && !ApiErrors.isNotFound(failure)) {
      throw failure;
    }
    return TaskOutcome.waitFor(
        TaskReason.POD_CHANGED,
        "the pod changed before it was updated; checking it again",
        RACE_RECHECK);
  }
}
