package io.sei.operator;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.takeover.OperatorLeases;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all shards of a cluster hold together: the Lease of an operator that is not divided. It, a
 * Go operator and shards of another count wait until the last shard is gone, so that no namespace
 * ever has two. Which replica of a shard acts is decided by a Lease of its own.
 */
final class ShardedCluster {

  private static final Logger log = LoggerFactory.getLogger(ShardedCluster.class);

  /** The times are those of {@link Leadership}: who waits for this Lease judges it by the same. */
  private static final Duration LEASE = Duration.ofSeconds(15);

  private static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
  private static final Duration RETRY_PERIOD = Duration.ofSeconds(2);

  /** One shard renews for all: none of the others need within this time. */
  private static final Duration FRESH = Duration.ofSeconds(4);

  /** One line every half minute. */
  private static final int LOOKS_PER_LINE = 15;

  /** What to do about the Lease. */
  enum Step {
    /** One of the shards has just renewed it. */
    KEEP,
    /** It is free, or the shards' and not fresh. */
    WRITE,
    /** Another process holds it. */
    WAIT
  }

  private final KubernetesClient client;
  private final String namespace;
  private final String name;
  private final String identity;
  private final Clock clock;
  private volatile long heldAt;

  /**
   * @param name of the Lease of an operator that is not divided
   * @param count of all shards
   */
  ShardedCluster(KubernetesClient client, String namespace, String name, int count, Clock clock) {
    this.client = client;
    this.namespace = namespace;
    this.name = name;
    this.identity = OperatorLeases.SHARDS + count + "-shards";
    this.clock = clock;
  }

  /** Returns once the Lease is the shards'. */
  void await() {
    for (int look = 0; !isHeld(look % LOOKS_PER_LINE == 0); look++) {
      LockSupport.parkNanos(RETRY_PERIOD.toNanos());
    }
  }

  private boolean isHeld(boolean says) {
    try {
      Lease lease = read();
      if (look(lease) != Step.WAIT) {
        return true;
      }
      if (says) {
        log.warn(
            "Not started: {} holds the Lease {}/{}. Shards need one count, and no operator"
                + " without shards beside them",
            lease.getSpec().getHolderIdentity(),
            namespace,
            name);
      }
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return false;
      }
      log.warn("Not started: cannot take the Lease {}/{}: {}", namespace, name, e.getMessage());
    }
    return false;
  }

  /**
   * Keeps the Lease from now on, and ends the process once it is somebody else's or could not be
   * kept.
   *
   * @param end what ends the process
   */
  void watch(Runnable end) {
    every(
        RETRY_PERIOD,
        () -> {
          try {
            Lease lease = read();
            if (look(lease) == Step.WAIT) {
              lost(lease.getSpec().getHolderIdentity(), end);
            }
          } catch (KubernetesClientException e) {
            log.debug("Cannot keep the Lease {}/{}: {}", namespace, name, e.getMessage());
          }
        });
    // Apart from the requests, which may hang.
    every(
        Duration.ofSeconds(1),
        () -> {
          if (System.nanoTime() - heldAt > RENEW_DEADLINE.toNanos()) {
            lost(identity, end);
          }
        });
  }

  private static void every(Duration period, Runnable look) {
    var task =
        new TimerTask() {
          @Override
          public void run() {
            look.run();
          }
        };
    new Timer("shards", true).schedule(task, period.toMillis(), period.toMillis());
  }

  private void lost(String holder, Runnable end) {
    var unrenewed = Duration.ofNanos(System.nanoTime() - heldAt);
    log.error(
        "Lost the Lease {}/{} of all shards: {}",
        namespace,
        name,
        Leadership.describeLoss(identity, holder, unrenewed));
    end.run();
  }

  private Lease read() {
    return client.leases().inNamespace(namespace).withName(name).get();
  }

  /** Takes or renews the Lease if that is due. */
  private Step look(Lease lease) {
    Instant now = clock.instant();
    Step step = step(lease == null ? null : lease.getSpec(), identity, now);
    if (step == Step.WRITE) {
      write(lease, now.atZone(ZoneOffset.UTC));
    }
    if (step != Step.WAIT) {
      heldAt = System.nanoTime();
    }
    return step;
  }

  /**
   * Against the version that was read: of two who would take it, one is refused and looks again.
   */
  private void write(Lease lease, ZonedDateTime now) {
    Lease written =
        (lease == null ? new LeaseBuilder() : new LeaseBuilder(lease))
            .editOrNewMetadata()
            .withName(name)
            .withNamespace(namespace)
            .endMetadata()
            .editOrNewSpec()
            .withHolderIdentity(identity)
            .withLeaseDurationSeconds((int) LEASE.toSeconds())
            .withRenewTime(now)
            .endSpec()
            .build();
    var leases = client.leases().inNamespace(namespace).resource(written);
    if (lease == null) {
      leases.create();
    } else {
      leases.update();
    }
  }

  /**
   * What to do about a Lease.
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
      return renewed.plus(FRESH).isAfter(now) ? Step.KEEP : Step.WRITE;
    }
    Integer seconds = lease.getLeaseDurationSeconds();
    Duration duration = seconds == null ? LEASE : Duration.ofSeconds(seconds);
    return renewed.plus(duration).isAfter(now) ? Step.WAIT : Step.WRITE;
  }
}
