package io.sei.operator;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.http.AsyncBody.Consumer;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.sei.operator.config.LeaderElectionConfig;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this replica is the one that acts.
 *
 * <p>The elector gives up when renewing is refused, but not while a renewal is on its way: against
 * an API server that does not answer, it would lead on after its lease has run out. Hence this sees
 * the answers of the client it is an interceptor of, and gives up by itself.
 */
final class Leadership implements Interceptor {

  private static final Logger log = LoggerFactory.getLogger(Leadership.class);

  /** The defaults of Kubernetes' own components. */
  private static final Duration LEASE = Duration.ofSeconds(15);

  private static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
  private static final Duration RETRY_PERIOD = Duration.ofSeconds(2);

  private final LeaderElectionConfig config;
  private final String namespace;
  private final String identity;
  private final AtomicBoolean leading = new AtomicBoolean();
  private final AtomicBoolean stopping = new AtomicBoolean();
  private volatile long renewedAt;

  /**
   * Holder of the Lease when the elector last read or wrote it; null or empty if there was none.
   */
  private volatile String holder;

  /**
   * @param host name of this host; made unique, since a lease that carries a bare host name would
   *     be taken for one's own by the next process on that host
   */
  Leadership(LeaderElectionConfig config, String clientNamespace, String host) {
    this.config = config;
    this.namespace = config.leaseNamespace().orElse(clientNamespace);
    this.identity = host + "_" + UUID.randomUUID();
  }

  /** What the framework is to do about the election. */
  LeaderElectionConfiguration configuration() {
    var callbacks =
        new LeaderCallbacks(() -> leading.set(true), this::lost, leader -> holder = leader);
    // The framework's own exit would wait for its shutdown hook, which waits for that exit.
    boolean exitOnStopLeading = false;
    return new LeaderElectionConfiguration(
        config.leaseName(),
        namespace,
        LEASE,
        RENEW_DEADLINE,
        RETRY_PERIOD,
        identity,
        callbacks,
        exitOnStopLeading);
  }

  /** Where the Lease is. */
  String namespace() {
    return namespace;
  }

  /** Whether this replica acts; always, where there is no election. */
  boolean isLeading() {
    return !config.enabled() || leading.get();
  }

  @Override
  public void after(
      HttpRequest request, HttpResponse<?> response, Consumer<List<ByteBuffer>> consumer) {
    if (response.isSuccessful()
        && !request.method().equals("GET")
        && request.uri().getPath().contains("/namespaces/" + namespace + "/leases")) {
      renewedAt = System.nanoTime();
    }
  }

  /** Ends the process when it has not renewed its lease for so long that another soon may lead. */
  void watch() {
    var look =
        new TimerTask() {
          @Override
          public void run() {
            if (leading.get() && System.nanoTime() - renewedAt > RENEW_DEADLINE.toNanos()) {
              lost();
            }
          }
        };
    new Timer("leadership", true).schedule(look, 1000, 1000);
  }

  /** From here on losing the lease is what is wanted. */
  void beginShutdown() {
    stopping.set(true);
  }

  /** Hands the lease over, so that another replica need not wait for it to run out. */
  void release(KubernetesClient client) {
    if (!config.enabled()) {
      return;
    }
    try {
      var leases = client.leases().inNamespace(namespace);
      Lease lease = leases.withName(config.leaseName()).get();
      if (lease != null && identity.equals(lease.getSpec().getHolderIdentity())) {
        leases
            .resource(
                new LeaseBuilder(lease)
                    .editSpec()
                    .withHolderIdentity("")
                    .withLeaseDurationSeconds(1)
                    .endSpec()
                    .build())
            .update();
      }
    } catch (KubernetesClientException e) {
      log.warn("Cannot release the Lease; it expires by itself: {}", e.getMessage());
    }
  }

  private void lost() {
    leading.set(false);
    if (!stopping.get()) {
      var unrenewed = Duration.ofNanos(System.nanoTime() - renewedAt);
      log.error(
          "Lost the Lease {}/{}: {}",
          namespace,
          config.leaseName(),
          describeLoss(identity, holder, unrenewed));
      // Work in flight must not go on beside the new leader's. Every step is safe against a crash.
      Runtime.getRuntime().halt(1);
    }
  }

  /**
   * Why this process no longer holds a Lease.
   *
   * @param identity of this process
   * @param holder as last read; null or empty if there was none
   * @param unrenewed time since this process last renewed it
   */
  static String describeLoss(String identity, String holder, Duration unrenewed) {
    if (identity.equals(holder)) {
      return ("it could not be renewed for %d s: the API server refuses or does not answer in time,"
              + " or this process is short of CPU")
          .formatted(unrenewed.toSeconds());
    }
    return holder == null || holder.isEmpty()
        ? "its holder was removed from it"
        : holder + " holds it now";
  }
}
