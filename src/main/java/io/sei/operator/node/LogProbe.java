package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.Refusal;
import io.sei.operator.node.model.LogAccess;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.render.Names;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out ahead of an upgrade whether the log of seid can be read: a halt is proven by it alone.
 * Once for each pod, away from the reconciles; what is forbidden is asked for again.
 */
public final class LogProbe {

  /** Reads something of the log of seid. */
  @FunctionalInterface
  public interface Reader {

    /**
     * Reads it.
     *
     * @throws KubernetesClientException if that fails; with the code 403 if it is forbidden
     */
    void read(String namespace, String pod);
  }

  private static final Logger log = LoggerFactory.getLogger(LogProbe.class);

  /** Rights change seldom, and a request that is refused looks like an attack in an audit log. */
  private static final Duration AGAIN = Duration.ofMinutes(10);

  /**
   * What is known of a node's pod.
   *
   * @param again when to ask the next time; never if it is null
   */
  private record Known(String podUid, LogAccess access, Instant again) {}

  private final Reader reader;
  private final Consumer<ResourceID> wake;
  private final Executor readers;
  private final Map<ResourceID, Known> known = new ConcurrentHashMap<>();

  /**
   * @param readers where logs are read
   */
  public LogProbe(Reader reader, Consumer<ResourceID> wake, Executor readers) {
    this.reader = reader;
    this.wake = wake;
    this.readers = readers;
  }

  /** Tells a reconcile what is known, and begins to find out what is not. */
  void look(NodeReconcile reconcile) {
    Optional<Pod> pod = reconcile.snapshot().livePod().filter(LogProbe::hasLog);
    boolean isAhead =
        Stream.ofNullable(reconcile.status().upgrades())
            .flatMap(List::stream)
            .anyMatch(UpgradeStatus::isAhead);
    if (pod.isEmpty() || !isAhead) {
      return;
    }
    ResourceID node = ResourceID.fromResource(reconcile.node());
    String uid = pod.get().getMetadata().getUid();
    Instant now = reconcile.snapshot().now();
    Known of = known.get(node);
    boolean isOfPod = of != null && of.podUid().equals(uid);
    if (!isOfPod || (of.again() != null && !now.isBefore(of.again()))) {
      LogAccess access = isOfPod ? of.access() : LogAccess.UNKNOWN;
      of = new Known(uid, access, null);
      known.put(node, of);
      readers.execute(() -> read(node, pod.get(), now));
    }
    reconcile.logAccess(of.access());
    if (of.again() != null) {
      reconcile.recheckAfter(Duration.between(now, of.again()));
    }
  }

  /** Forgets a node that is gone. */
  void forget(ResourceID node) {
    known.remove(node);
  }

  /** A container that was created has a log, be it empty. */
  private static boolean hasLog(Pod pod) {
    return PodFacts.imageId(pod, Names.SEID).isPresent();
  }

  private void read(ResourceID node, Pod pod, Instant now) {
    String name = pod.getMetadata().getName();
    LogAccess access = LogAccess.GRANTED;
    Instant again = null;
    try {
      reader.read(pod.getMetadata().getNamespace(), name);
    } catch (KubernetesClientException e) {
      boolean forbidden = e.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
      access = forbidden ? LogAccess.refused(Refusal.words(e)) : LogAccess.UNKNOWN;
      again = now.plus(AGAIN);
      log.info("Cannot read the log of seid in pod {}: {}", name, e.getMessage());
    }
    var result = new Known(pod.getMetadata().getUid(), access, again);
    Known before = known.get(node);
    Known after =
        known.computeIfPresent(node, (id, of) -> of.podUid().equals(result.podUid()) ? result : of);
    boolean isNews = before != null && !before.access().equals(result.access());
    if (isNews && result.equals(after)) {
      wake.accept(node);
    }
  }
}
