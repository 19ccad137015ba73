package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.PodFacts;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Defers the first reconciles of idle nodes after a start of the operator to two at a time, so that
 * nodes with work come first. Idle is a node that runs, with a Ready pod and no active plan. An
 * event ends the wait of such a node only if spec, status or pod give it something to do.
 */
final class StartupThrottle {

  /**
   * Two processors take longer than ten seconds for the first reconciles of a thousand nodes, which
   * all others waited for.
   */
  static final int AT_A_TIME = 2;

  /** Interval at which deferred nodes try again, one after the other. */
  private static final Duration PACE = Duration.ofMillis(10);

  private final Clock steady;
  private final Semaphore places = new Semaphore(AT_A_TIME);

  /**
   * Time at which a deferred node tries next; {@link Instant#MAX} once its first reconcile began.
   */
  private final PerObjectMap<ResourceID, Instant> next;

  private Instant last = Instant.MIN;

  /**
   * @param steady never set back or forth
   */
  StartupThrottle(PerObjectState<ResourceID> memory, Clock steady) {
    this.next = memory.newMap();
    this.steady = steady;
  }

  /**
   * Reconciles a node, unless this is the first time and can wait.
   *
   * @return when to reconcile again if no event comes first
   */
  Optional<Duration> throttle(
      SeiNode node, Optional<Pod> pod, Supplier<Optional<Duration>> reconcile) {
    ResourceID id = ResourceID.fromResource(node);
    Instant now = steady.instant();
    Instant at = next.get(id).orElse(now);
    boolean isFirst = !at.equals(Instant.MAX) && isIdle(node, pod);
    if (isFirst && (at.isAfter(now) || !places.tryAcquire())) {
      Instant then = at.isAfter(now) ? at : afterTheOthers(now);
      next.put(id, then);
      return Optional.of(Duration.between(now, then));
    }
    try {
      next.put(id, Instant.MAX);
      return reconcile.get();
    } finally {
      if (isFirst) {
        places.release();
      }
    }
  }

  private synchronized Instant afterTheOthers(Instant now) {
    last = (last.isAfter(now) ? last : now).plus(PACE);
    return last;
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
