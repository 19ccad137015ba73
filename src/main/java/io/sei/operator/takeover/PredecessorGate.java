package io.sei.operator.takeover;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.observability.HealthReport;
import io.sei.operator.takeover.PredecessorLease.Holder;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the operator from acting for as long as a Go operator runs and, at its start, if it manages
 * all namespaces, for as long as another of its own kind does: each would undo what the other
 * applies. Decided once, for all nodes and fleets.
 */
public final class PredecessorGate {

  private static final Logger log = LoggerFactory.getLogger(PredecessorGate.class);

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

  /** One line every half minute. */
  private static final int LOOKS_PER_LINE = 6;

  /** Without a Lease to see, two operators take turns by the minute at most. */
  public static final Duration SILENCE = Duration.ofMinutes(1);

  private static final String GO_OPERATOR =
      "a Go operator runs: pod %2$s renews the Lease %1$s/%3$s";

  private static final String STOP_IT =
      "scale its Deployment to 0: kubectl -n %1$s scale deployment NAME --replicas=0. To start"
          + " anyway, set SEI_IGNORE_GO_OPERATOR=true";

  private static final String SAME_KIND =
      "this operator manages all namespaces, and another one runs: pod %2$s renews the Lease"
          + " %1$s/%3$s";

  private static final String DIVIDE =
      "set SEI_WATCH_NAMESPACES of both to different namespaces, or remove one";

  private final PredecessorLease lease;
  private final String ownNamespace;
  private final Clock steady;
  private volatile Optional<Finding> holder = Optional.empty();
  private volatile Optional<Overwritten> overwritten = Optional.empty();

  private record Overwritten(Finding finding, Instant at) {}

  /**
   * @param ownNamespace where the Leases of this operator's own replicas are
   * @param steady for ages; never set back or forth
   */
  public PredecessorGate(PredecessorLease lease, String ownNamespace, Clock steady) {
    this.lease = lease;
    this.ownNamespace = ownNamespace;
    this.steady = steady;
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
        log.warn("Not started: {}", holder.orElseThrow().message());
      }
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
    }
  }

  /**
   * From now on looks for a Go operator that is started again, every five seconds; no longer where
   * that is not allowed.
   */
  public void watch() {
    var look =
        new TimerTask() {
          @Override
          public void run() {
            try {
              look();
            } catch (KubernetesClientException e) {
              log.debug("Cannot look for a Go operator: {}", e.getMessage());
              if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                cancel();
              }
            }
          }
        };
    new Timer("predecessor", true)
        .schedule(look, BETWEEN_LOOKS.toMillis(), BETWEEN_LOOKS.toMillis());
  }

  /** Another one of this kind that has come later waits by itself. */
  private void look() {
    Optional<Finding> before = holder;
    holder = find(Holder::isPredecessor);
    if (before.isEmpty()) {
      holder.ifPresent(it -> log.warn("Managing nothing: {}", it.message()));
    } else if (holder.isEmpty()) {
      log.info("Managing again: the Go operator has stopped");
    }
  }

  /**
   * Takes note that an object is without what this operator had put on it, as a Go operator leaves
   * it that applies under the same name: one whose Lease may not be seen here, that has none, or
   * that has just started.
   *
   * @param object its kind and name
   */
  public void overwritten(String object) {
    var finding =
        new Finding(
            StallReason.STATEFUL_SET_CONFLICT,
            "a Go operator seems to run: something applied %s as one does".formatted(object),
            "find it and scale its Deployment to 0",
            true);
    if (obstacle().isEmpty()) {
      log.warn("Managing nothing for a minute: {}", finding.message());
    }
    overwritten = Optional.of(new Overwritten(finding, steady.instant()));
  }

  /** Why nothing may be managed now, for all that is known; asks nobody. */
  public Optional<Finding> obstacle() {
    Instant heard = steady.instant().minus(SILENCE);
    return holder.or(
        () -> overwritten.filter(it -> it.at().isAfter(heard)).map(Overwritten::finding));
  }

  private Optional<Finding> find(Predicate<Holder> rival) {
    return lease.holders().stream().filter(rival).map(PredecessorGate::finding).findFirst();
  }

  private boolean isHeld() {
    try {
      holder = find(this::isRival);
    } catch (KubernetesClientException e) {
      if (holder.isEmpty()) {
        log.warn(
            "Cannot check whether a Go operator still runs; make sure that it does not: {}",
            e.getMessage());
      }
    }
    return holder.isPresent();
  }

  /** Which namespaces another one of this kind manages its Lease does not say. */
  private boolean isRival(Holder holder) {
    return holder.isPredecessor()
        || lease.namespaces().isEmpty() && !holder.namespace().equals(ownNamespace);
  }

  private static Finding finding(Holder holder) {
    return new Finding(
        StallReason.STATEFUL_SET_CONFLICT,
        (holder.isPredecessor() ? GO_OPERATOR : SAME_KIND)
            .formatted(holder.namespace(), holder.pod(), PredecessorLease.NAME),
        (holder.isPredecessor() ? STOP_IT : DIVIDE).formatted(holder.namespace()),
        true);
  }

  /** What the operator says of itself, and first of all what keeps it from acting. */
  public HealthReport readiness(HealthReport operator) {
    var problems = new ArrayList<String>();
    obstacle().map(Finding::message).ifPresent(problems::add);
    problems.addAll(operator.problems());
    return new HealthReport(problems, operator.notes());
  }
}
