package io.sei.operator.node;

import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.DaemonThreads;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Asks the sidecars of running pods how they are, away from the reconciles, so that a slow or dead
 * sidecar holds up no node. A changed answer wakes the node's reconcile.
 */
public final class SidecarMonitor extends AbstractEventSource<SidecarHealth, SeiNode> {

  /** While all is well; a lost ready flag is noticed this late at worst. */
  private static final Duration CALM = Duration.ofSeconds(10);

  /** While a sidecar is starting or in trouble. */
  private static final Duration ALERT = Duration.ofSeconds(2);

  /** Unanswered requests in a row that make a sidecar unreachable, as a kubelet's probes count. */
  private static final int FAILURE_THRESHOLD = 3;

  /** A pod under watch, what its sidecar last answered, and how often it has not since. */
  private record Watch(SidecarAddress address, SidecarHealth health, int unanswered) {
    boolean isOf(String podUid) {
      return address.podUid().equals(Optional.of(podUid));
    }

    Watch noted(SidecarHealth answer) {
      return new Watch(address, answer, 0);
    }

    /** Where nobody was asked there is no news. */
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

    Duration pause() {
      return health == SidecarHealth.READY && unanswered == 0 ? CALM : ALERT;
    }
  }

  private final SidecarClient sidecar;
  private final Map<ResourceID, Watch> watches = new ConcurrentHashMap<>();
  private final ScheduledExecutorService scheduler;

  public SidecarMonitor(SidecarClient sidecar) {
    this(sidecar, Executors.newSingleThreadScheduledExecutor(new DaemonThreads("sidecar-monitor")));
  }

  SidecarMonitor(SidecarClient sidecar, ScheduledExecutorService scheduler) {
    super(SidecarHealth.class, "sidecars");
    this.sidecar = sidecar;
    this.scheduler = scheduler;
  }

  /** Begins to ask the sidecar of a pod, in the place of an earlier pod or address of that node. */
  public void watch(ResourceID node, SidecarAddress address) {
    Watch before = watches.get(node);
    if (before == null || !before.address().equals(address)) {
      watches.put(node, new Watch(address, null, 0));
      probe(node);
    }
  }

  /** Stops asking. */
  public void forget(ResourceID node) {
    watches.remove(node);
  }

  /** What the sidecar of this very pod last answered. */
  public Optional<SidecarHealth> health(ResourceID node, String podUid) {
    return Optional.ofNullable(watches.get(node))
        .filter(watch -> watch.isOf(podUid))
        .map(Watch::health);
  }

  /** Notes what a sidecar must answer now, as of something that was just done with it. */
  public void note(ResourceID node, String podUid, SidecarHealth health) {
    watches.computeIfPresent(node, (id, watch) -> watch.isOf(podUid) ? watch.noted(health) : watch);
  }

  @Override
  public Set<SidecarHealth> getSecondaryResources(SeiNode node) {
    return Optional.ofNullable(watches.get(ResourceID.fromResource(node)))
        .map(Watch::health)
        .map(Set::of)
        .orElse(Set.of());
  }

  @Override
  public void stop() {
    super.stop();
    scheduler.shutdownNow();
  }

  private void probe(ResourceID node) {
    Watch asked = watches.get(node);
    if (asked != null) {
      sidecar.healthAsync(asked.address()).thenAccept(health -> answered(node, asked, health));
    }
  }

  private void answered(ResourceID node, Watch asked, SidecarHealth health) {
    // An answer to a question from before a note says what was, not what is.
    Watch watch =
        watches.computeIfPresent(node, (id, it) -> it.equals(asked) ? it.answered(health) : it);
    if (watch == null || !isRunning()) {
      return;
    }
    if (asked.health() != watch.health()) {
      getEventHandler().handleEvent(new Event(node));
    }
    scheduler.schedule(() -> again(node, asked), watch.pause().toMillis(), TimeUnit.MILLISECONDS);
  }

  private void again(ResourceID node, Watch asked) {
    Watch watch = watches.get(node);
    if (watch != null && watch.address().equals(asked.address())) {
      probe(node);
    }
  }
}
