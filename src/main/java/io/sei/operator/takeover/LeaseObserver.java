package io.sei.operator.takeover;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells from changes of a Lease whether its holder is alive, as client-go does: a holder renews its
 * Lease every two seconds. Only changes that this process saw count, by its own clock. The times in
 * a Lease are not used, since they are whatever its writer chose.
 */
final class LeaseObserver {

  /** The lease duration of both operators. */
  static final Duration EXPIRY = Duration.ofSeconds(15);

  /** State of the holder of a Lease. */
  enum State {
    /** There is no holder, or the Lease has not changed for {@link #EXPIRY}. */
    FREE,
    /** The Lease has a holder and has been observed for less than {@link #EXPIRY}. */
    UNDECIDED,
    /** The Lease has changed within {@link #EXPIRY}. */
    RENEWED
  }

  private record Observation(String version, Instant since, boolean renewed) {}

  private final Map<String, Observation> observations = new ConcurrentHashMap<>();

  /**
   * Compares a Lease with what it was at the previous call.
   *
   * @param lease as the API server returned it; a missing node if the namespace has none
   * @param now by a clock that is never set
   */
  State observe(String namespace, JsonNode lease, Instant now) {
    if (holder(lease).isEmpty()) {
      observations.remove(namespace);
      return State.FREE;
    }
    String version = lease.at("/metadata/resourceVersion").asText();
    Observation observation = observations.get(namespace);
    if (observation == null || !observation.version().equals(version)) {
      observation = new Observation(version, now, observation != null);
      observations.put(namespace, observation);
    }
    if (!observation.since().plus(EXPIRY).isAfter(now)) {
      return State.FREE;
    }
    return observation.renewed() ? State.RENEWED : State.UNDECIDED;
  }

  /** Forgets the Leases of all other namespaces. */
  void retain(Collection<String> namespaces) {
    observations.keySet().retainAll(namespaces);
  }

  /** Returns the holder's identity; empty if there is none. */
  static String holder(JsonNode lease) {
    return lease.at("/spec/holderIdentity").asText();
  }

  /** Returns the name of the holder's pod, to which both operators append a UUID. */
  static String pod(JsonNode lease) {
    return holder(lease).replaceFirst("_[^_]*$", "");
  }
}
