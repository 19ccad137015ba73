package io.sei.operator;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.http.AsyncBody.Consumer;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.sei.operator.takeover.OperatorLeases;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lease that this process holds, and without which it ends: the Lease by which the framework elects
 * the replica that acts, or the Lease of an undivided operator, which all shards of a cluster hold
 * together. An undivided operator, and shards of another count, wait until the Lease of all shards
 * is free, so that no namespace ever has two operators.
 *
 * <p>The framework's elector gives up when renewing is refused, but not while a renewal is on its
 * way: against an API server that does not answer, it would lead on after its Lease has expired.
 * Hence this class intercepts the answers to renewals, and gives up by itself.
 */
final class HeldLease implements Interceptor {

  private static final Logger log = LoggerFactory.getLogger(HeldLease.class);

  /** The defaults of Kubernetes' own components. */
  private static final Duration LEASE = Duration.ofSeconds(15);

  private static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);

  /** Interval between renewals. */
  static final Duration RETRY_PERIOD = Duration.ofSeconds(2);

  /** One shard renews for all: the others need not within this time. */
  private static final Duration FRESH = Duration.ofSeconds(4);

  /** State of the Lease of all shards for one of them, and what the shard does about it. */
  enum Step {
    /** One of the shards has just renewed it. */
    KEEP,
    /** The Lease is free, or the shards' and expired. */
    WRITE,
    /** Another process holds it. */
    WAIT
  }

  private final String namespace;
  private final String name;
  private final String identity;
  private final Runnable onLoss;
  private volatile boolean isHeld;
  private volatile boolean isStopping;
  private volatile long renewedAt;

  /** Holder of the Lease when it was last read or written; null or empty if there was none. */
  private volatile String holder;

  private HeldLease(String namespace, String name, String identity, Runnable onLoss) {
    this.namespace = namespace;
    this.name = name;
    this.identity = identity;
    this.onLoss = onLoss;
  }

  /**
   * Lease of the replica that acts.
   *
   * @param host name of this host; made unique, since the next process on a host would take a Lease
   *     with a bare host name for its own
   * @param onLoss ends the process: work in flight must not go on beside the new leader's, and
   *     every step is safe against a crash
   */
  static HeldLease ofReplica(String namespace, String name, String host, Runnable onLoss) {
    return new HeldLease(namespace, name, host + "_" + UUID.randomUUID(), onLoss);
  }

  /**
   * Lease that all shards hold together.
   *
   * @param name of the Lease of an undivided operator
   * @param count of all shards
   * @param onLoss ends the process
   */
  static HeldLease ofShards(String namespace, String name, int count, Runnable onLoss) {
    return new HeldLease(namespace, name, OperatorLeases.SHARDS + count + "-shards", onLoss);
  }

  /** Configures the framework's election. */
  LeaderElectionConfiguration election() {
    var callbacks = new LeaderCallbacks(this::renewed, this::lost, leader -> holder = leader);
    // The framework's own exit would wait for its shutdown hook, which waits for that exit.
    boolean exitOnStopLeading = false;
    return new LeaderElectionConfiguration(
        name,
        namespace,
        LEASE,
        RENEW_DEADLINE,
        RETRY_PERIOD,
        identity,
        callbacks,
        exitOnStopLeading);
  }

  /** Returns whether this process holds the Lease. */
  boolean isHeld() {
    return isHeld;
  }

  @Override
  public void after(
      HttpRequest request, HttpResponse<?> response, Consumer<List<ByteBuffer>> consumer) {
    if (response.isSuccessful() && isWrite(request)) {
      renewedAt = System.nanoTime();
    }
  }

  /**
   * Returns whether a request updates this Lease; the Lease of all shards has another name. The
   * elector reports the creation.
   */
  boolean isWrite(HttpRequest request) {
    String path = "/namespaces/" + namespace + "/leases/" + name;
    return !request.method().equals("GET") && request.uri().getPath().endsWith(path);
  }

  private void renewed() {
    renewedAt = System.nanoTime();
    isHeld = true;
  }

  /** Ends the process when the Lease was not renewed for so long that another soon may hold it. */
  void watch() {
    every(
        Duration.ofSeconds(1),
        () -> {
          if (isHeld && System.nanoTime() - renewedAt > RENEW_DEADLINE.toNanos()) {
            lost();
          }
        });
  }

  /** Keeps the Lease of all shards, on a thread of its own: requests may hang. */
  void keep(KubernetesClient client, Clock clock) {
    every(
        RETRY_PERIOD,
        () -> {
          try {
            if (step(client, clock) == Step.WAIT) {
              lost();
            }
          } catch (KubernetesClientException e) {
            log.debug("Cannot keep the Lease {}/{}: {}", namespace, name, e.getMessage());
          }
        });
  }

  private static void every(Duration period, Runnable check) {
    var task =
        new TimerTask() {
          @Override
          public void run() {
            check.run();
          }
        };
    new Timer("lease", true).schedule(task, period.toMillis(), period.toMillis());
  }

  /** From here on the loss of the Lease is intended. */
  void beginShutdown() {
    isStopping = true;
  }

  /** Releases the Lease, so that another replica need not wait until it expires. */
  void release(KubernetesClient client) {
    try {
      Lease lease = resource(client).get();
      if (lease != null && identity.equals(lease.getSpec().getHolderIdentity())) {
        client
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
    isHeld = false;
    if (!isStopping) {
      var unrenewed = Duration.ofNanos(System.nanoTime() - renewedAt);
      log.error(
          "Lost the Lease {}/{}: {}", namespace, name, describeLoss(identity, holder, unrenewed));
      onLoss.run();
    }
  }

  /**
   * Describes why a process no longer holds a Lease.
   *
   * @param identity of the process
   * @param holder as last read; null or empty if there was none
   * @param unrenewed time since the process renewed it or found it fresh
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

  /** Takes the Lease of all shards; returns what is in the way. */
  List<String> acquire(KubernetesClient client, Clock clock) {
    while (true) {
      try {
        if (step(client, clock) != Step.WAIT) {
          return List.of();
        }
        return List.of(
            ("%s holds the Lease %s/%s. All shards need the same count, and no operator without"
                    + " shards may run beside them")
                .formatted(holder, namespace, name));
      } catch (KubernetesClientException e) {
        if (!isConflict(e)) {
          return List.of(
              "cannot take the Lease %s/%s: %s".formatted(namespace, name, e.getMessage()));
        }
        // Another shard or operator has just written it.
      }
    }
  }

  /** Takes or renews the Lease of all shards if that is due. */
  private Step step(KubernetesClient client, Clock clock) {
    Lease lease = resource(client).get();
    Instant now = clock.instant();
    Step step = step(lease == null ? null : lease.getSpec(), identity, now);
    if (step == Step.WAIT) {
      holder = lease.getSpec().getHolderIdentity();
      return step;
    }
    if (step == Step.WRITE) {
      write(client, lease, now);
    }
    holder = identity;
    renewed();
    return step;
  }

  private Resource<Lease> resource(KubernetesClient client) {
    return client.leases().inNamespace(namespace).withName(name);
  }

  /** Writes against the version that was read: of two writers, one gets a conflict. */
  private void write(KubernetesClient client, Lease lease, Instant now) {
    var written =
        client.resource(
            (lease == null ? new LeaseBuilder() : new LeaseBuilder(lease))
                .editOrNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .editOrNewSpec()
                .withHolderIdentity(identity)
                .withLeaseDurationSeconds((int) LEASE.toSeconds())
                .withRenewTime(now.atZone(ZoneOffset.UTC))
                .endSpec()
                .build());
    if (lease == null) {
      written.create();
    } else {
      written.update();
    }
  }

  /**
   * Decides what a shard does about the Lease of all shards.
   *
   * @param lease null if there is none
   */
  static Step step(LeaseSpec lease, String identity, Instant now) {
    if (lease == null
        || lease.getHolderIdentity() == null
        || lease.getHolderIdentity().isEmpty()
        || lease.getRenewTime() == null) {
      return Step.WRITE;
    }
    Instant renewed = lease.getRenewTime().toInstant();
    if (identity.equals(lease.getHolderIdentity())) {
      // A time ahead of this clock is of a shard whose clock is ahead, and says nothing of its age.
      boolean isFresh = !renewed.isAfter(now) && renewed.plus(FRESH).isAfter(now);
      return isFresh ? Step.KEEP : Step.WRITE;
    }
    Integer seconds = lease.getLeaseDurationSeconds();
    Duration duration = seconds == null ? LEASE : Duration.ofSeconds(seconds);
    return renewed.plus(duration).isAfter(now) ? Step.WAIT : Step.WRITE;
  }
}
