package io.sei.operator.takeover;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.observability.HealthReport;
import io.sei.operator.takeover.PredecessorLease.Holder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the start of the operator for as long as a Go operator runs or, if this one manages all
 * namespaces, another of its own kind does: each would undo what the other applies.
 */
public final class PredecessorGate {

  private static final Logger log = LoggerFactory.getLogger(PredecessorGate.class);

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

  /** One line every half minute. */
  private static final int LOOKS_PER_LINE = 6;

  private static final String GO_OPERATOR =
      "a Go operator runs: pod %2$s renews the Lease %1$s/%3$s. Scale its Deployment to 0:"
          + " kubectl -n %1$s scale deployment NAME --replicas=0. To start anyway,"
          + " set SEI_IGNORE_GO_OPERATOR=true";

  private static final String SAME_KIND =
      "this operator manages all namespaces, and another one runs: pod %2$s renews the Lease"
          + " %1$s/%3$s. Set SEI_WATCH_NAMESPACES of both to different namespaces, or remove one";

  private final PredecessorLease lease;
  private final String ownNamespace;
  private volatile Optional<String> obstacle = Optional.empty();

  /**
   * @param ownNamespace where the Leases of this operator's own replicas are
   */
  public PredecessorGate(PredecessorLease lease, String ownNamespace) {
    this.lease = lease;
    this.ownNamespace = ownNamespace;
  }

  /**
   * Returns once no such operator renews its Lease. Where this cannot be known it returns at once,
   * and logs that.
   */
  public void await() {
    if (!lease.namespaces().isEmpty()) {
      log.info(
          "Checking the namespaces {} only for a Go operator; make sure that none runs elsewhere",
          lease.namespaces());
    }
    for (int look = 0; isHeld(); look++) {
      if (look % LOOKS_PER_LINE == 0) {
        log.warn("Not started: {}", obstacle.orElseThrow());
      }
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
    }
  }

  private boolean isHeld() {
    try {
      obstacle =
          lease.holders().stream().filter(this::isRival).map(PredecessorGate::obstacle).findFirst();
    } catch (KubernetesClientException e) {
      if (obstacle.isEmpty()) {
        log.warn(
            "Cannot check whether a Go operator still runs; make sure that it does not: {}",
            e.getMessage());
      }
    }
    return obstacle.isPresent();
  }

  /** Which namespaces another one of this kind manages its Lease does not say. */
  private boolean isRival(Holder holder) {
    return holder.isPredecessor()
        || lease.namespaces().isEmpty() && !holder.namespace().equals(ownNamespace);
  }

  private static String obstacle(Holder holder) {
    return (holder.isPredecessor() ? GO_OPERATOR : SAME_KIND)
        .formatted(holder.namespace(), holder.pod(), PredecessorLease.NAME);
  }

  /** What the operator says of itself, and first of all what holds its start. */
  public HealthReport readiness(HealthReport operator) {
    var problems = new ArrayList<String>();
    obstacle.ifPresent(problems::add);
    problems.addAll(operator.problems());
    return new HealthReport(problems, operator.notes());
  }
}
