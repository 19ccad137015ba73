package io.sei.operator.takeover;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.kube.KubernetesClients;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whether another operator runs, by its Lease, which it renews every two seconds. The Go operator's
 * Leases and this one's have the same name; they are told apart by who renewed them.
 */
public final class PredecessorLease {

  /** Its leader election ID, and so the name of its Lease. */
  static final String NAME = "bc1f5b0a.sei.io";

  private static final String LEASES = "/apis/coordination.k8s.io/v1/";

  /**
   * A Lease that an operator holds.
   *
   * @param pod name of the pod that holds it
   * @param isPredecessor whether it is a Go operator
   */
  public record Holder(String namespace, String pod, boolean isPredecessor) {}

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
   * Who holds a Lease that has not run out, Go operators first; each call asks the API server.
   *
   * @throws KubernetesClientException where looking is not allowed
   */
  public List<Holder> holders() {
    Instant now = clock.instant();
    return leases().stream()
        .flatMap(lease -> holder(lease, now).stream())
        .sorted(Comparator.comparing(Holder::isPredecessor).reversed())
        .toList();
  }

  private List<JsonNode> leases() {
    var leases = new ArrayList<JsonNode>();
    if (namespaces.isEmpty()) {
      get(LEASES + "leases?fieldSelector=metadata.name%3D" + NAME)
          .ifPresent(list -> list.path("items").forEach(leases::add));
    }
    for (String namespace : namespaces) {
      get(LEASES + "namespaces/" + namespace + "/leases/" + NAME).ifPresent(leases::add);
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

  /** Who holds a Lease, if it has not run out. */
  static Optional<Holder> holder(JsonNode lease, Instant now) {
    JsonNode spec = lease.path("spec");
    String identity = spec.path("holderIdentity").asText();
    // Both operators append a UUID to the name of the pod.
    return !identity.isEmpty() && isCurrent(spec, now)
        ? Optional.of(
            new Holder(
                lease.path("metadata").path("namespace").asText(),
                identity.replaceFirst("_[^_]*$", ""),
                !KubernetesClients.USER_AGENT.equals(renewer(lease))))
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
