package io.sei.operator.takeover;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.takeover.LeaseObserver.State;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an operator of all namespaces from starting while another operator of all namespaces runs:
 * each would undo what the other applies. Any tenant can write a Lease, so the Lease of another
 * namespace counts only if its holder is a pod whose ServiceAccount has a right that no tenant can
 * grant. A user who can create such a pod could change every node anyway.
 */
public final class OtherInstallation {

  private static final Logger log = LoggerFactory.getLogger(OtherInstallation.class);

  /** The label of the pods of an operator that is divided into shards. */
  private static final String SHARD = "sei.io/shard";

  /** At most as many as the chart allows; a tenant decides how many pods its namespace has. */
  private static final ListOptions SOME = new ListOptionsBuilder().withLimit(16L).build();

  private final KubernetesClient client;
  private final OperatorLeases leases;
  private final String ownNamespace;
  private final Clock steady;
  private final LeaseObserver observer = new LeaseObserver();
  private volatile Optional<Found> found = Optional.empty();

  private record Found(String namespace, Finding why) {}

  /**
   * @param ownNamespace where the Leases of this operator's own replicas are
   * @param steady for ages; never set back or forth
   */
  public OtherInstallation(
      KubernetesClient client, OperatorLeases leases, String ownNamespace, Clock steady) {
    this.client = client;
    this.leases = leases;
    this.ownNamespace = ownNamespace;
    this.steady = steady;
  }

  /** Checks once, and returns what is in the way of the start. */
  public List<String> obstacles() {
    return isFound() ? List.of(found.orElseThrow().why().message()) : List.of();
  }

  /** Returns what this operator waits for, by the namespace that is the cause. */
  public Map<String, Finding> waitsFor() {
    return found.map(present -> Map.of(present.namespace(), present.why())).orElse(Map.of());
  }

  /** Checks once, and returns whether to wait; warns, and does not wait, if that is unknown. */
  boolean isFound() {
    try {
      found = find();
    } catch (KubernetesClientException e) {
      if (found.isEmpty()) {
        log.warn(
            "Cannot check whether another operator manages all namespaces; make sure that none"
                + " does: {}",
            e.getMessage());
      }
    }
    return found.isPresent();
  }

  private Optional<Found> find() {
    var all = leases.all();
    observer.retain(all.stream().map(OtherInstallation::namespace).toList());
    for (JsonNode lease : all) {
      String namespace = namespace(lease);
      if (namespace.equals(ownNamespace)
          || observer.observe(namespace, lease, steady.instant()) == State.FREE) {
        continue;
      }
      if (accounts(namespace, lease).anyMatch(account -> isOfOperator(namespace, account))) {
        return Optional.of(new Found(namespace, finding(namespace, LeaseObserver.pod(lease))));
      }
    }
    return Optional.empty();
  }

  private static String namespace(JsonNode lease) {
    return lease.at("/metadata/namespace").asText();
  }

  /**
   * Returns the ServiceAccounts of the pods that may be the holder: shards hold a Lease together.
   */
  private Stream<String> accounts(String namespace, JsonNode lease) {
    var pods = client.pods().inNamespace(namespace);
    Stream<Pod> holders =
        LeaseObserver.holder(lease).startsWith(OperatorLeases.SHARDS)
            ? pods.withLabel(SHARD).list(SOME).getItems().stream()
            : Stream.ofNullable(pods.withName(LeaseObserver.pod(lease)).get());
    return holders
        .map(Pod::getSpec)
        .map(PodSpec::getServiceAccountName)
        .filter(Objects::nonNull)
        .distinct();
  }

  /**
   * Returns whether a ServiceAccount may do what only an operator does: write the status of nodes
   * in all namespaces, as every operator of all namespaces, or the cluster's records of signing
   * keys, as this operator also with a list of namespaces.
   */
  private boolean isOfOperator(String namespace, String account) {
    String user = "system:serviceaccount:%s:%s".formatted(namespace, account);
    return may(user, "patch", "seinodes", "status") || may(user, "update", "seisigningkeys", "");
  }

  private boolean may(String user, String verb, String resource, String subresource) {
    var review =
        new SubjectAccessReviewBuilder()
            .withNewSpec()
            .withUser(user)
            .withNewResourceAttributes()
            .withGroup("sei.io")
            .withResource(resource)
            .withSubresource(subresource)
            .withVerb(verb)
            .endResourceAttributes()
            .endSpec()
            .build();
    return Boolean.TRUE.equals(
        client.authorization().v1().subjectAccessReview().create(review).getStatus().getAllowed());
  }

  private static Finding finding(String namespace, String holder) {
    return new Finding(
        StallReason.STATEFUL_SET_CONFLICT,
        "this operator manages all namespaces, and another one runs: %s renews the Lease %s/%s"
            .formatted(holder, namespace, OperatorLeases.NAME),
        "scale one of them to 0, or set SEI_WATCH_NAMESPACES of both to different namespaces",
        true);
  }
}
