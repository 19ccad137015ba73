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
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.Supplier;

/**
 * After a start of the operator, idle nodes have their first reconcile two at a time, so that nodes
 * with work come first. Idle is a node that runs, with a Ready pod and no active plan. An event
 * ends the wait of such a node only if spec, status or pod give it something to do.
 */
final class StartupThrottle {

  /**
   * A thousand first reconciles at once take two processors more than ten seconds, and every other
   * node waited for them.
   */
  static final int AT_A_TIME = 2;

  /** A deferred node is woken in its turn. If that is lost, it tries again after this time. */
  static final Duration BACKSTOP = Duration.ofSeconds(30);

  private final PerObjectState<ResourceID> memory;
  private final PerObjectMap<ResourceID, Boolean> begun;
  private final SequencedSet<ResourceID> waiting = new LinkedHashSet<>();
  private int free = AT_A_TIME;

  /**
   * @param memory wakes the nodes
   */
  StartupThrottle(PerObjectState<ResourceID> memory) {
    this.memory = memory;
    this.begun = memory.newMap();
    memory.onDrop(this::forget);
  }

  /**
   * Reconciles a node, unless this is the first time and can wait.
   *
   * @return when to reconcile again if no event comes first
   */
  Optional<Duration> throttle(
      SeiNode node, Optional<Pod> pod, Supplier<Optional<Duration>> reconcile) {
    ResourceID id = ResourceID.fromResource(node);
    boolean isFirst = begun.get(id).isEmpty() && isIdle(node, pod);
    if (!mayBegin(id, isFirst)) {
      return Optional.of(BACKSTOP);
    }
    begun.put(id, true);
    try {
      return reconcile.get();
    } finally {
      release(isFirst).ifPresent(memory::wake);
    }
  }

  private synchronized boolean mayBegin(ResourceID id, boolean isFirst) {
    if (isFirst && free == 0) {
      waiting.add(id);
      return false;
    }
    waiting.remove(id);
    free -= isFirst ? 1 : 0;
    return true;
  }

  /** Frees the place, if one was taken, and returns the node to wake. */
  private synchronized Optional<ResourceID> release(boolean wasFirst) {
    free += wasFirst ? 1 : 0;
    return free == 0 || waiting.isEmpty() ? Optional.empty() : Optional.of(waiting.removeFirst());
  }

  private synchronized void forget(ResourceID id) {
    waiting.remove(id);
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
