package io.sei.operator.takeover;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.config.TakeoverConfig;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.takeover.LeaseObserver.State;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides where nodes and fleets of a Go operator may be adopted, and keeps the operator's hands
 * off these namespaces while a Go operator renews its Lease in one of them. Other namespaces are
 * managed whatever a Lease says.
 */
public final class TakeoverGate {

  private static final Logger log = LoggerFactory.getLogger(TakeoverGate.class);

  /** Interval between looks at the Leases; a Go operator renews its Lease in each. */
  public static final Duration PERIOD = Duration.ofSeconds(5);

  /** Cause for which the nodes and fleets of a namespace are not managed. */
  public sealed interface Suspension {

    /** A Lease has a holder and has not been observed for long enough; nothing is reported. */
    record Undecided() implements Suspension {}

    /** A Go operator runs, or a Lease cannot be read. */
    record Confirmed(Finding cause) implements Suspension {}
  }

  private final Function<String, JsonNode> leases;
  private final TakeoverConfig config;
  private final Optional<String> elected;
  private final Clock steady;
  private final LeaseObserver observer = new LeaseObserver();

  /** The suspensions by the namespace whose Lease is the cause. */
  private final Map<String, Suspension> suspensions = new ConcurrentSkipListMap<>();

  /**
   * @param leases reads the Lease of a namespace; a missing node if there is none
   * @param elected the namespace in which leader election itself waits for a Go operator, since it
   *     takes the same Lease
   * @param steady for ages; never set back or forth
   */
  public TakeoverGate(
      Function<String, JsonNode> leases,
      TakeoverConfig config,
      Optional<String> elected,
      Clock steady) {
    this.leases = leases;
    this.config = config;
    this.elected = elected;
    this.steady = steady;
    observed().forEach(namespace -> suspensions.put(namespace, new Suspension.Undecided()));
  }

  /** Returns whether there is any Lease to look at. */
  public boolean isOpen() {
    return observed().findAny().isPresent();
  }

  /** Looks at the Lease of each namespace of the takeover. */
  public void look() {
    observed().forEach(this::look);
  }

  private Stream<String> observed() {
    return config.namespaces().stream()
        .filter(namespace -> !elected.equals(Optional.of(namespace)));
  }

  private void look(String namespace) {
    try {
      JsonNode lease = leases.apply(namespace);
      State state = observer.observe(namespace, lease, steady.instant());
      switch (state) {
        case FREE -> release(namespace);
        case UNDECIDED -> suspensions.put(namespace, new Suspension.Undecided());
        case RENEWED -> suspend(namespace, renewed(namespace, LeaseObserver.pod(lease)));
      }
    } catch (KubernetesClientException e) {
      // What is known of the Lease stays as it is.
      log.debug("Cannot read the Lease {}/{}", namespace, OperatorLeases.NAME, e);
      if (isForbidden(e)) {
        suspend(namespace, forbidden(namespace));
      }
    }
  }

  private void suspend(String namespace, Finding cause) {
    if (!(suspensions.put(namespace, new Suspension.Confirmed(cause))
        instanceof Suspension.Confirmed)) {
      log.warn("Not managing the namespaces {}: {}", config.namespaces(), cause.message());
    }
  }

  private void release(String namespace) {
    if (suspensions.remove(namespace) instanceof Suspension.Confirmed) {
      log.info("The Lease {}/{} is free", namespace, OperatorLeases.NAME);
    }
  }

  private static Finding renewed(String namespace, String pod) {
    return new Finding(
        StallReason.STATEFUL_SET_CONFLICT,
        "a Go operator runs: pod %s renews the Lease %s/%s"
            .formatted(pod, namespace, OperatorLeases.NAME),
        "scale its Deployment to 0: kubectl -n %s scale deployment NAME --replicas=0"
            .formatted(namespace),
        true);
  }

  private static Finding forbidden(String namespace) {
    return new Finding(
        StallReason.STATEFUL_SET_CONFLICT,
        "whether a Go operator runs is not known: the operator may not read the Lease %s/%s"
            .formatted(namespace, OperatorLeases.NAME),
        "grant its ServiceAccount get on leases in namespace %s, as the chart does"
            .formatted(namespace),
        true);
  }

  /** Returns whether what a Go operator made in a namespace may be adopted. */
  public boolean mayAdopt(String namespace) {
    return config.covers(namespace);
  }

  /** Returns why nothing of a namespace is managed now. */
  public Optional<Suspension> suspension(String namespace) {
    if (!config.covers(namespace)) {
      return Optional.empty();
    }
    Optional<Suspension> confirmed =
        suspensions.values().stream()
            .filter(suspension -> suspension instanceof Suspension.Confirmed)
            .findFirst();
    return confirmed.or(() -> suspensions.values().stream().findFirst());
  }

  /** Returns the namespaces whose Leases keep the operator's hands off, with the cause. */
  public Map<String, Finding> confirmed() {
    var confirmed = new ConcurrentSkipListMap<String, Finding>();
    suspensions.forEach(
        (namespace, suspension) -> {
          if (suspension instanceof Suspension.Confirmed(Finding cause)) {
            confirmed.put(namespace, cause);
          }
        });
    return confirmed;
  }
}
