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

  /** Why the nodes and fleets of a namespace are not managed. */
  public sealed interface Hold {

    /** A Lease has a holder and has not been observed for long enough; nothing is reported. */
    record Undecided() implements Hold {}

    /** A Go operator runs, or a Lease cannot be read. */
    record Held(Finding why) implements Hold {}
  }

  private final Function<String, JsonNode> leases;
  private final TakeoverConfig config;
  private final Optional<String> elected;
  private final Clock steady;
  private final LeaseObserver observer = new LeaseObserver();

  /** The holds by the namespace whose Lease is the cause. */
  private final Map<String, Hold> holds = new ConcurrentSkipListMap<>();

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
    observed().forEach(namespace -> holds.put(namespace, new Hold.Undecided()));
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
        case UNDECIDED -> holds.put(namespace, new Hold.Undecided());
        case RENEWED -> hold(namespace, renewed(namespace, LeaseObserver.pod(lease)));
      }
    } catch (KubernetesClientException e) {
      // What is known of the Lease stays as it is.
      log.debug("Cannot read the Lease {}/{}", namespace, OperatorLeases.NAME, e);
      if (isForbidden(e)) {
        hold(namespace, forbidden(namespace));
      }
    }
  }

  private void hold(String namespace, Finding why) {
    if (!(holds.put(namespace, new Hold.Held(why)) instanceof Hold.Held)) {
      log.warn("Not managing the namespaces {}: {}", config.namespaces(), why.message());
    }
  }

  private void release(String namespace) {
    if (holds.remove(namespace) instanceof Hold.Held) {
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
  public Optional<Hold> hold(String namespace) {
    if (!config.covers(namespace)) {
      return Optional.empty();
    }
    Optional<Hold> held =
        holds.values().stream().filter(hold -> hold instanceof Hold.Held).findFirst();
    return held.or(() -> holds.values().stream().findFirst());
  }

  /** Returns the namespaces whose Leases keep the operator's hands off, with the cause. */
  public Map<String, Finding> held() {
    var held = new ConcurrentSkipListMap<String, Finding>();
    holds.forEach(
        (namespace, hold) -> {
          if (hold instanceof Hold.Held(Finding why)) {
            held.put(namespace, why);
          }
        });
    return held;
  }
}
