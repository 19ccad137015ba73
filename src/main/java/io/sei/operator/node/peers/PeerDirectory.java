package io.sei.operator.node.peers;

import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.DaemonThreads;
import io.sei.operator.plan.Backoff;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.SidecarClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Knows the identities of nodes that others name as peers. A sidecar is asked once per pod, away
 * from the reconciles and however many nodes want to know. They are woken together, some time
 * later, so that a fleet that starts is not reconciled once for every pair of its nodes.
 */
public final class PeerDirectory extends AbstractEventSource<String, SeiNode> {

  private static final Duration SETTLE = Duration.ofSeconds(5);

  /** A sidecar answers soon after its pod has started, or not for a long time. */
  private static final Backoff ASK_AGAIN =
      new Backoff(Duration.ofMillis(500), Duration.ofMinutes(1));

  /** What is known of a node, and who wants to know. */
  private static final class Entry {
    private final SidecarAddress address;
    private final Set<ResourceID> askers = new HashSet<>();
    private String nodeId;
    private boolean answered;
    private int failures;

    Entry(SidecarAddress address, String nodeId) {
      this.address = address;
      this.nodeId = nodeId;
    }
  }

  private final SidecarClient sidecar;
  private final Map<ResourceID, Entry> entries = new HashMap<>();
  private final Set<ResourceID> toWake = new HashSet<>();
  private final ScheduledExecutorService scheduler;

  public PeerDirectory(SidecarClient sidecar) {
    super(String.class, "peers");
    this.sidecar = sidecar;
    this.scheduler =
        Executors.newSingleThreadScheduledExecutor(new DaemonThreads("peer-directory"));
  }

  /**
   * The identity of a node whose pod runs; that of its last pod until the new one has answered. If
   * there is none yet, {@code asker} is woken once there is.
   */
  synchronized Optional<String> nodeId(ResourceID peer, SidecarAddress address, ResourceID asker) {
    Entry entry = entries.get(peer);
    if (entry == null || isOfAnotherPod(entry, address) || hasMoved(entry, address)) {
      var before = entry;
      entry = new Entry(address, before == null ? null : before.nodeId);
      if (before != null) {
        entry.askers.addAll(before.askers);
      }
      entries.put(peer, entry);
      ask(peer, entry);
    }
    if (!entry.answered) {
      entry.askers.add(asker);
    }
    return Optional.ofNullable(entry.nodeId);
  }

  /** The identity of a node as it was last heard of. */
  synchronized Optional<String> nodeId(ResourceID peer) {
    return Optional.ofNullable(entries.get(peer)).map(entry -> entry.nodeId);
  }

  /** Forgets a node that is gone. */
  synchronized void forget(ResourceID node) {
    entries.remove(node);
  }

  @Override
  public Set<String> getSecondaryResources(SeiNode node) {
    return Set.of();
  }

  @Override
  public void stop() {
    super.stop();
    scheduler.shutdownNow();
  }

  private static boolean isOfAnotherPod(Entry entry, SidecarAddress address) {
    return !entry.address.podUid().equals(address.podUid());
  }

  /** A pod whose sandbox was made again has another address. */
  private static boolean hasMoved(Entry entry, SidecarAddress address) {
    return !entry.answered && !entry.address.equals(address);
  }

  private void ask(ResourceID peer, Entry entry) {
    sidecar.nodeIdAsync(entry.address).thenAccept(nodeId -> answered(peer, entry, nodeId));
  }

  private synchronized void answered(ResourceID peer, Entry entry, Optional<String> nodeId) {
    if (entries.get(peer) != entry || scheduler.isShutdown()) {
      return;
    }
    if (nodeId.isEmpty()) {
      entry.failures++;
      long pause = ASK_AGAIN.after(entry.failures).toMillis();
      scheduler.schedule(() -> askAgain(peer, entry), pause, TimeUnit.MILLISECONDS);
      return;
    }
    entry.answered = true;
    if (!nodeId.get().equals(entry.nodeId)) {
      entry.nodeId = nodeId.get();
      wakeLater(entry.askers);
    }
    entry.askers.clear();
  }

  private synchronized void askAgain(ResourceID peer, Entry entry) {
    if (entries.get(peer) == entry) {
      ask(peer, entry);
    }
  }

  private void wakeLater(Set<ResourceID> nodes) {
    boolean scheduled = !toWake.isEmpty();
    toWake.addAll(nodes);
    if (!scheduled && !toWake.isEmpty()) {
      scheduler.schedule(this::wake, SETTLE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void wake() {
    List<ResourceID> nodes;
    synchronized (this) {
      nodes = List.copyOf(toWake);
      toWake.clear();
    }
    if (isRunning()) {
      nodes.forEach(node -> getEventHandler().handleEvent(new Event(node)));
    }
  }
}
