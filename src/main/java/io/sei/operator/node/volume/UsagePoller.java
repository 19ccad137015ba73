package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls Prometheus, in the background, for how full the volumes of all nodes are, with one query.
 * Only what changes a decision or a message wakes a node.
 */
public final class UsagePoller {

  private static final Logger log = LoggerFactory.getLogger(UsagePoller.class);

  /**
   * A volume that a pod has, or does not have.
   *
   * @param uid of the claim
   * @param capacity in bytes
   * @param usedPercent at which it is to grow; empty if it is not
   */
  private record Volume(
      ClaimName claim,
      String uid,
      double capacity,
      boolean mounted,
      Optional<Integer> usedPercent) {

    /**
     * Returns whether what was heard of the other one is of this one: it is not once it has grown.
     */
    boolean isSame(Volume other) {
      return uid.equals(other.uid) && capacity == other.capacity;
    }
  }

  private record Watched(ResourceID node, Volume volume, Usage usage) {

    Watched after(Answer answer, Instant now) {
      return volume.mounted() ? new Watched(node, volume, judge(answer, now)) : this;
    }

    private Usage judge(Answer answer, Instant now) {
      if (answer.failure().isPresent()) {
        return usage.missed("Prometheus cannot be asked: " + answer.failure().get(), now);
      }
      VolumeUsage heard = answer.volumes().get(volume.claim());
      if (heard == null) {
        return usage.missed(
            "Prometheus has no kubelet_volume_stats_available_bytes of it that can be used", now);
      }
      return heard.isOf(volume.capacity())
          ? usage.heard(heard.in(volume.capacity()), volume.usedPercent(), answer.at())
          : usage.missed(
              "what Prometheus has by its name is of a volume or disk of another size", now);
    }
  }

  /**
   * Answer of Prometheus.
   *
   * @param failure why it has not
   */
  private record Answer(
      Map<ClaimName, VolumeUsage> volumes, Optional<String> failure, Instant at) {}

  private final Optional<? extends UsageClient> client;
  private final Duration interval;
  private final Clock clock;
  private final PerObjectState<ResourceID> memory;
  private final ScheduledExecutorService scheduler;
  private final PerObjectMap<ResourceID, Watched> watched;
  private Optional<Answer> latest = Optional.empty();
  private boolean asking;

  /**
   * @param client empty without a Prometheus
   * @param interval how often it is asked
   * @param scheduler asks; shut down by its owner
   */
  public UsagePoller(
      Optional<? extends UsageClient> client,
      Duration interval,
      Clock clock,
      PerObjectState<ResourceID> memory,
      ScheduledExecutorService scheduler) {
    this.client = client;
    this.interval = interval;
    this.clock = clock;
    this.memory = memory;
    this.scheduler = scheduler;
    this.watched = memory.newMap();
  }

  /** Returns whether there is a program to poll. */
  boolean isPossible() {
    return client.isPresent();
  }

  /** Notes the volume of a node as it was just observed. Never waits. */
  void observe(NodePass pass) {
    ResourceID node = ResourceID.fromResource(pass.node());
    Optional<Volume> volume = VolumeSize.of(pass).map(size -> volume(pass, size));
    if (client.isEmpty() || volume.isEmpty()) {
      watched.remove(node);
      return;
    }
    Instant now = now();
    Optional<Answer> known = known(now);
    watched.compute(node, before -> noted(before, node, volume.get(), known, now));
    ask();
  }

  private static Volume volume(NodePass pass, VolumeSize size) {
    PersistentVolumeClaim claim = pass.view().claim().orElseThrow();
    return new Volume(
        new ClaimName(pass.namespace(), size.claim()),
        claim.getMetadata().getUid(),
        size.capacity().getNumericalAmount().doubleValue(),
        pass.view().livePod().filter(PodFacts::isRunning).isPresent(),
        VolumeSize.rule(pass.node()).map(AutoGrow::usedPercent));
  }

  private static Watched noted(
      Watched before, ResourceID node, Volume volume, Optional<Answer> known, Instant now) {
    if (before != null && before.volume().equals(volume)) {
      return before;
    }
    boolean isKept =
        before != null
            && volume.isSame(before.volume())
            // A kubelet has no statistics of a volume that is not mounted: that is no silence.
            && (volume.mounted() == before.volume().mounted() || before.usage().isFresh(now));
    var noted = new Watched(node, volume, isKept ? before.usage() : Usage.unasked(now));
    return known.map(answer -> noted.after(answer, now)).orElse(noted);
  }

  /** The last answer, unless it is old; a node that was not asked about then need not wait. */
  private synchronized Optional<Answer> known(Instant now) {
    return latest.filter(
        answer -> !answer.at().isAfter(now) && now.isBefore(answer.at().plus(Usage.FRESH)));
  }

  /** Returns the usage of a node's volume; empty if it is not polled. */
  Optional<Usage> of(SeiNode node) {
    return watched.get(ResourceID.fromResource(node)).map(Watched::usage);
  }

  private synchronized void ask() {
    if (!asking && !scheduler.isShutdown()) {
      asking = true;
      scheduler.schedule(this::read, 0, TimeUnit.MILLISECONDS);
    }
  }

  private void read() {
    client
        .orElseThrow()
        .read()
        .whenComplete(
            (volumes, error) -> {
              try {
                answered(
                    error == null
                        ? new Answer(volumes, Optional.empty(), now())
                        : new Answer(Map.of(), Optional.of(why(error)), now()));
              } finally {
                readAgain();
              }
            });
  }

  private void answered(Answer answer) {
    note(answer);
    watched
        .values()
        .forEach(
            before ->
                watched
                    .computeIfPresent(before.node(), other -> other.after(answer, answer.at()))
                    .filter(computeIfPresent -> computeIfPresent.usage().isNews(before.usage()))
                    .ifPresent(computeIfPresent -> memory.wake(computeIfPresent.node())));
  }

  private synchronized void note(Answer answer) {
    boolean isNews = answer.failure().isPresent() && latest.flatMap(Answer::failure).isEmpty();
    if (isNews) {
      log.warn("Cannot ask Prometheus how full volumes are: {}", answer.failure().get());
    }
    latest = Optional.of(answer);
  }

  private synchronized void readAgain() {
    asking = !scheduler.isShutdown() && watched.values().findAny().isPresent();
    if (asking) {
      scheduler.schedule(this::read, interval.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Cut as the time of a pass is, for which an answer would be of the future otherwise. */
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }

  private static String why(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return String.valueOf(cause.getMessage());
  }
}
