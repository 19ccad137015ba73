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

/** How a task deletes the pod of a node, so that the StatefulSet makes another one. */
public record PodDeletion(KubeApi api, NodeCaches caches) {

  private static final Logger log = LoggerFactory.getLogger(PodDeletion.class);

  /** After a delete that was refused the caches are behind; they catch up soon. */
  private static final Duration RACE_RECHECK = Duration.ofMillis(500);

  /**
   * Deletes a pod. That it is still as it was seen is left to the API server: the delete carries
   * what was read. The pass goes on with the pod as it is from then on.
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

  /** What a task waits for after a delete that was not accepted. */
  public static TaskOutcome changed() {
    return TaskOutcome.waitFor(
        TaskReason.POD_CHANGED,
        "the pod changed before it was deleted; checking it again",
        RACE_RECHECK);
  }

  /** What a task waits for once its deletes were accepted. */
  public static TaskOutcome leaving(String names) {
    return TaskOutcome.waitFor(
        NodeReason.POD_TERMINATING, "waiting for pod " + names + " to be gone", Recheck.BACKSTOP);
  }
}
