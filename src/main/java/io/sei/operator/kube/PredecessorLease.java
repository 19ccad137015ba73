package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a Go operator runs, by its Lease, which it renews every two seconds. This operator's own
 * Leases have the same name; they are told apart by who renewed them.
 */
public final class PredecessorLease {

  private static final String LEASES = "/apis/coordination.k8s.io/v1/";

  /**
   * A Lease that a Go operator holds.
   *
   * @param pod name of the pod that holds it
   */
  public record Holder(String namespace, String pod) {}

  private final KubernetesClient client;
  private final Set<String> namespaces;
  private final Clock clock;

  /**
   * @param namespaces where to look; empty means everywhere, by one list of the Leases of that name
   */
  public PredecessorLease(KubernetesClient client, Set<String> namespaces, Clock clock) {
    this.client = client;
    this.namespaces = Set.copyOf(namespaces);
    this.clock = clock;
  }

  /** Where it looks; empty means everywhere. */
  public Set<String> namespaces() {
    return namespaces;
  }

  /**
   * The first Lease that is held and has not run out; each call asks the API server.
   *
   * @throws KubernetesClientException where looking is not allowed
   */
  public Optional<Holder> holder() {
    Instant now = clock.instant();
    return leases().stream().flatMap(lease -> holder(lease, now).stream()).findFirst();
  }

  /** Whether such a Lease was seen; false where looking is not allowed. */
  public boolean isKnownToRun() {
    try {
      return holder().isPresent();
    } catch (KubernetesClientException e) {
      return false;
    }
  }

  private List<JsonNode> leases() {
    var leases = new ArrayList<JsonNode>();
    if (namespaces.isEmpty()) {
      get(LEASES + "leases?fieldSelector=metadata.name%3D" + Predecessor.LEASE)
          .ifPresent(list -> list.path("items").forEach(leases::add));
    }
    for (String namespace : namespaces) {
      get(LEASES + "namespaces/" + namespace + "/leases/" + Predecessor.LEASE)
          .ifPresent(leases::add);
    }
    return leases;
  }

  /** Not as a Lease: of managedFields the client's model keeps too little. */
  private Optional<JsonNode> get(String path) {
    try {
      return Optional.ofNullable(client.raw(path))
          .map(body -> client.getKubernetesSerialization().unmarshal(body, JsonNode.class));
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Who holds a Lease, if it is a Go operator and the Lease has not run out. */
  static Optional<Holder> holder(JsonNode lease, Instant now) {
    JsonNode spec = lease.path("spec");
    String identity = spec.path("holderIdentity").asText();
    boolean held =
        !identity.isEmpty()
            && isCurrent(spec, now)
            && !KubernetesClients.USER_AGENT.equals(renewer(lease));
    // controller-runtime appends a UUID to the name of the pod.
    return held
        ? Optional.of(
            new Holder(
                lease.path("metadata").path("namespace").asText(),
                identity.replaceFirst("_[^_]*$", "")))
        : Optional.empty();
  }

  private static boolean isCurrent(JsonNode spec, Instant now) {
    try {
      Duration duration = Duration.ofSeconds(spec.path("leaseDurationSeconds").asLong());
      return OffsetDateTime.parse(spec.path("renewTime").asText())
          .toInstant()
          .plus(duration)
          .isAfter(now);
    } catch (DateTimeException | ArithmeticException e) {
      // A Lease that nobody ever renewed.
      return false;
    }
  }

  /** The field manager that wrote the time of the last renewal; empty if nobody says so. */
  private static String renewer(JsonNode lease) {
    for (JsonNode entry : lease.path("metadata").path("managedFields")) {
      if (entry.path("fieldsV1").path("f:spec").has("f:renewTime")) {
        return entry.path("manager").asText();
      }
    }
    return "";
  }
}
