package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.PodFacts;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets nodes that wait for something go first after a start of the operator, when every node is
 * looked at: one that had nothing to do when the operator stopped, and has a Ready pod now, is put
 * off once.
 */
final class FirstLook {

  /** Leaves most of two processors to others: a look at such a node takes some 5 ms of one. */
  private static final Duration PACE = Duration.ofMillis(10);

  private final PerObjectMap<ResourceID, Boolean> looked;
  private final AtomicInteger putOff = new AtomicInteger();

  FirstLook(PerObjectState<ResourceID> memory) {
    looked = memory.newMap();
  }

  /**
   * Returns the time for which the first observation of a node can wait; empty if it cannot, or is
   * not the first. An event of the node ends the wait.
   */
  Optional<Duration> putOff(SeiNode node, Optional<Pod> pod) {
    ResourceID id = ResourceID.fromResource(node);
    if (looked.get(id).isPresent()) {
      return Optional.empty();
    }
    looked.put(id, true);
    return isIdle(node, pod)
        ? Optional.of(PACE.multipliedBy(putOff.incrementAndGet()))
        : Optional.empty();
  }

  private static boolean isIdle(SeiNode node, Optional<Pod> pod) {
    SeiNodeStatus status = node.getStatus();
    return status != null
        && !node.isMarkedForDeletion()
        && Objects.equals(status.observedGeneration(), node.getMetadata().getGeneration())
        && (status.plan() == null || !status.plan().isActive())
        && status.phase() == NodePhase.RUNNING
        && pod.filter(candidate -> !candidate.isMarkedForDeletion())
            .filter(PodFacts::isReady)
            .isPresent();
  }
}
