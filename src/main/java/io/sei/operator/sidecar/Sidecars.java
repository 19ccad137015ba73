package io.sei.operator.sidecar;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.Answer;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Poller.Demand;
import io.sei.operator.base.Polling;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * Polls the sidecars of running pods, and keeps the last answers by node, so that a slow or dead
 * sidecar delays no reconcile. A changed answer reconciles the nodes that it concerns.
 */
public final class Sidecars {

  /**
   * While all is well. A sidecar loses its ready flag with its container, whose next start the pod
   * reports; only a sidecar that hangs is noticed this late.
   */
  static final Duration CALM = Duration.ofMinutes(1);

  /** While a sidecar is starting or in trouble. */
  private static final Duration ALERT = Duration.ofSeconds(2);

  /** Interval within which a plan that has just submitted a task polls again. */
  private static final Duration SOON = Duration.ofMillis(200);

  /** A fleet that starts is not reconciled once for every pair of its nodes. */
  private static final Duration SETTLE = Duration.ofSeconds(5);

  /** The start of a sidecar that another shard manages wakes no node of this one. */
  private static final Duration AGAIN = Duration.ofMinutes(1);

  /** Unanswered requests in a row that make a sidecar unreachable, as a kubelet's probes count. */
  private static final int FAILURE_THRESHOLD = 3;

  /** A pod under watch, what its sidecar last answered, and how often it has not since. */
  private record Watch(SidecarAddress address, SidecarHealth health, int unanswered) {

    /** The watch at another address: the health holds for another plan, not another container. */
    Watch at(SidecarAddress next) {
      boolean isSameProcess = address.containerId().equals(next.containerId());
      return isSameProcess ? new Watch(next, health, unanswered) : new Watch(next, null, 0);
    }

    Watch noted(SidecarHealth answer) {
      return new Watch(address, answer, 0);
    }

    /** Unknown means that no request was sent, so the answer before stays. */
    Watch answered(SidecarHealth answer) {
      if (answer == SidecarHealth.UNKNOWN) {
        return this;
      }
      if (answer != SidecarHealth.UNREACHABLE) {
        return noted(answer);
      }
      int times = Math.min(unanswered + 1, FAILURE_THRESHOLD);
      return new Watch(address, times == FAILURE_THRESHOLD ? answer : health, times);
    }

    Demand demand() {
      Duration period = health == SidecarHealth.READY && unanswered == 0 ? CALM : ALERT;
      return Demand.every(period);
    }
  }

  /** Health and identity of a node; the identity by which its peers know it outlives its pod. */
  private static final class Entry {
    private Watch watch;

    /** The watch when the request under way was sent. */
    private Watch asked;

    private String nodeId;
    private Optional<String> identifiedPod = Optional.empty();
    private final Set<ResourceID> askers = new HashSet<>();

    /**
     * Expiry of a node that is only polled; a node that is watched here is dropped when it is
     * deleted.
     */
    private Instant expiry = Instant.MIN;

    boolean isAt(SidecarAddress address) {
      return watch != null && watch.address().equals(address);
    }

    boolean isOf(String podUid) {
      return watch != null && watch.address().podUid().equals(Optional.of(podUid));
    }

    boolean isIdentified() {
      return watch != null
          && identifiedPod.isPresent()
          && identifiedPod.equals(watch.address().podUid());
    }
  }

  private final SidecarClient sidecar;
  private final BiConsumer<ResourceID, Duration> wake;
  private final Clock clock;
  private final Poller<ResourceID, SidecarAddress, SidecarHealth> poller;
  private final Map<ResourceID, Entry> entries = new HashMap<>();

  /**
   * @param wake reconciles a node within a time
   */
  public Sidecars(
      SidecarClient sidecar, Polling<ResourceID> polling, BiConsumer<ResourceID, Duration> wake) {
    this.sidecar = sidecar;
    this.wake = wake;
    this.clock = polling.clock();
    this.poller = new Poller<>(polling, this::ask, this::answered);
    polling.memory().onDrop(this::drop);
  }

  /**
   * Begins to ask the sidecar of a pod, replacing an earlier pod, container or plan of that node.
   * Answers to what was asked before are dropped.
   *
   * @return whether it is another pod, or has another address
   */
  public synchronized boolean watch(ResourceID node, SidecarAddress address) {
    Entry entry = entries.computeIfAbsent(node, absent -> new Entry());
    entry.expiry = Instant.MAX;
    boolean isSamePod = entry.watch != null && entry.watch.address().isOfPodOf(address);
    entry.watch = isSamePod ? entry.watch.at(address) : new Watch(address, null, 0);
    poller.ask(node, address, entry.watch.demand());
    return !isSamePod;
  }

  /** Stops asking, for the node's pod does not run. */
  public synchronized void pause(ResourceID node) {
    Optional.ofNullable(entries.get(node)).ifPresent(entry -> entry.watch = null);
    poller.stop(node);
  }

  private synchronized void drop(ResourceID node) {
    entries.remove(node);
    entries.values().forEach(entry -> entry.askers.remove(node));
  }

  /** Returns the health that the sidecar of this very pod last reported. */
  public synchronized Optional<SidecarHealth> health(ResourceID node, String podUid) {
    return Optional.ofNullable(entries.get(node))
        .filter(entry -> entry.isOf(podUid))
        .map(entry -> entry.watch.health());
  }

  /** Notes what a sidecar must answer now, as of something that was just done with it. */
  public synchronized void note(ResourceID node, String podUid, SidecarHealth health) {
    Optional.ofNullable(entries.get(node))
        .filter(entry -> entry.isOf(podUid))
        .ifPresent(entry -> entry.watch = entry.watch.noted(health));
  }

  /**
   * The identity of a node, that of its last pod until the new one has answered. If it is not known
   * yet, {@code asker} is woken once it is, some time later and together with others.
   */
  public synchronized Optional<String> nodeId(ResourceID peer, ResourceID asker) {
    Entry entry = entryOf(peer);
    if (!entry.isIdentified()) {
      boolean isFirst = entry.askers.isEmpty();
      entry.askers.add(asker);
      if (isFirst && entry.watch != null) {
        askIdentity(peer, entry.watch.address());
      }
    }
    return Optional.ofNullable(entry.nodeId);
  }

  /**
   * Returns the identity of a peer that is not watched here, since another shard manages it: each
   * of its pods is asked once, and again a minute after it did not answer.
   */
  public synchronized Optional<String> nodeIdElsewhere(
      ResourceID peer, SidecarAddress address, ResourceID asker) {
    Entry entry = entryOf(peer);
    if (address.podIp().isEmpty()) {
      wake.accept(asker, AGAIN);
    } else if (!entry.identifiedPod.equals(address.podUid())) {
      boolean isFirst = entry.askers.isEmpty();
      entry.askers.add(asker);
      if (isFirst) {
        sidecar
            .nodeIdAsync(address)
            .thenAccept(nodeId -> identifiedElsewhere(entry, address, nodeId));
      }
    }
    return Optional.ofNullable(entry.nodeId);
  }

  /** Returns the entry of a peer that a node asks for, and makes room for it if it is new. */
  private Entry entryOf(ResourceID peer) {
    Instant now = clock.instant();
    if (!entries.containsKey(peer)) {
      entries.values().removeIf(entry -> !entry.expiry.isAfter(now));
    }
    Entry entry = entries.computeIfAbsent(peer, absent -> new Entry());
    if (entry.expiry.isBefore(Instant.MAX)) {
      entry.expiry = now.plus(Poller.RECONCILED);
    }
    return entry;
  }

  private synchronized void identifiedElsewhere(
      Entry entry, SidecarAddress address, Optional<String> nodeId) {
    Duration delay = nodeId.isPresent() ? SETTLE : AGAIN;
    if (nodeId.isPresent()) {
      entry.identifiedPod = address.podUid();
      entry.nodeId = nodeId.get();
    }
    entry.askers.forEach(asker -> wake.accept(asker, delay));
    entry.askers.clear();
  }

  /**
   * Wakes a node about the identity of a peer that no sidecar was asked for, some time later and
   * together with others.
   */
  public void wakeAboutPeer(ResourceID asker) {
    wake.accept(asker, SETTLE);
  }

  private CompletionStage<SidecarHealth> ask(SidecarAddress address) {
    var node = new ResourceID(address.nodeName(), address.namespace());
    boolean isIdentityWanted;
    synchronized (this) {
      Entry entry = entries.get(node);
      if (entry == null || !entry.isAt(address)) {
        return CompletableFuture.completedFuture(SidecarHealth.UNKNOWN);
      }
      entry.asked = entry.watch;
      isIdentityWanted = !entry.isIdentified() && !entry.askers.isEmpty();
    }
    if (isIdentityWanted) {
      askIdentity(node, address);
    }
    return sidecar.healthAsync(address);
  }

  private void askIdentity(ResourceID node, SidecarAddress address) {
    sidecar.nodeIdAsync(address).thenAccept(nodeId -> identified(node, address, nodeId));
  }

  private synchronized boolean answered(
      ResourceID node, SidecarAddress address, Answer<SidecarHealth> answer) {
    Entry entry = entries.get(node);
    if (entry == null || !entry.isAt(address)) {
      return false;
    }
    // An answer to a request from before a note is older than the note.
    if (entry.watch.equals(entry.asked)) {
      entry.watch = entry.watch.answered(answer.value().orElse(SidecarHealth.UNREACHABLE));
      if (entry.watch.health() != entry.asked.health()) {
        wake.accept(node, SOON);
      }
    }
    poller.ask(node, address, entry.watch.demand());
    return false;
  }

  private synchronized void identified(
      ResourceID node, SidecarAddress address, Optional<String> nodeId) {
    Entry entry = entries.get(node);
    if (entry == null || !entry.isAt(address) || nodeId.isEmpty()) {
      return;
    }
    entry.identifiedPod = address.podUid();
    if (!nodeId.get().equals(entry.nodeId)) {
      entry.nodeId = nodeId.get();
      entry.askers.forEach(asker -> wake.accept(asker, SETTLE));
    }
    entry.askers.clear();
  }
}
