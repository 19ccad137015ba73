package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.DeleteAnswer;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes the pod of a node, so that the StatefulSet creates another one. */
public record PodDeletion(KubeApi api, NodeCaches caches) {

  private static final Logger log = LoggerFactory.getLogger(PodDeletion.class);

  /** Delay after a refused delete, until the caches are up to date. */
  private static final Duration RACE_RECHECK = Duration.ofMillis(500);

  /**
   * Deletes a pod. The delete carries the resource version that was read, so that the API server
   * refuses it if the pod has changed. The pass continues with the deleted pod.
   *
   * @throws KubernetesClientException if the API server fails
   */
  public DeleteAnswer of(NodePass pass, Pod pod) {
    DeleteAnswer answer =
        caches.deleting(
            pod,
            () ->
                api.deleteUnchanged(
                    pod,
                    leaving -> {
                      caches.remember(leaving, Optional.of(pod));
                      pass.observed(leaving);
                    }));
    log.info(
        "Delete of pod {} (uid {}): {}",
        pod.getMetadata().getName(),
        pod.getMetadata().getUid(),
        answer);
    return answer;
  }

  /** Returns the outcome after a delete that was refused because the pod has changed. */
  public static TaskOutcome changed() {
    return TaskOutcome.waitFor(
        TaskReason.POD_CHANGED,
        "the pod changed before it was deleted; checking it again",
        RACE_RECHECK);
  }

  /** Returns the outcome while deleted pods terminate. */
  public static TaskOutcome leaving(String names) {
    return TaskOutcome.waitFor(
        NodeReason.POD_TERMINATING, "waiting for pod " + names + " to be gone", Recheck.BACKSTOP);
  }
}
