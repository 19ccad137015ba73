package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.ProgressDeadline;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evidence that no cache holds: Events and Kubernetes nodes. They are many and change all the time,
 * so they are not watched. They are read only about a pod that is missing or unready for some time,
 * or that somebody other than its kubelet speaks for; a node that is well costs no request.
 */
public final class LiveEvidence {

  private static final Logger log = LoggerFactory.getLogger(LiveEvidence.class);

  /** A pod that is replaced is missing for a moment, and that says nothing. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Nothing announces that an Event was written. */
  private static final Duration RECHECK = Duration.ofSeconds(30);

  private static final int MAX_EVENTS = 100;

  /** What is known about a pod that is missing, and when to ask next. */
  private record Absence(Instant askAt, List<Event> events) {}

  private final KubeApi api;
  private final KubernetesNodes kubernetesNodes;
  private final ProgressDeadline deadline;
  private final Clock clock;
  private final Map<ResourceID, Absence> absences = new ConcurrentHashMap<>();

  /**
   * @param clock tells how long ago something was asked for, whatever the time is said to be
   */
  public LiveEvidence(
      KubeApi api, KubernetesNodes kubernetesNodes, ProgressDeadline deadline, Clock clock) {
    this.api = api;
    this.kubernetesNodes = kubernetesNodes;
    this.deadline = deadline;
    this.clock = clock;
  }

  /** Events about the StatefulSet of a node whose pod is missing; none if it is not. */
  List<Event> ofMissingPod(NodeReconcile reconcile) {
    ResourceID node = ResourceID.fromResource(reconcile.node());
    if (!isPodMissing(reconcile)) {
      absences.remove(node);
      return List.of();
    }
    Instant now = clock.instant();
    Absence absence =
        absences.getOrDefault(node, new Absence(now.plus(patience(reconcile)), List.of()));
    if (!now.isBefore(absence.askAt())) {
      absence =
          new Absence(now.plus(RECHECK), eventsOfStatefulSet(reconcile).orElse(absence.events()));
    }
    absences.put(node, absence);
    reconcile.recheckAfter(Duration.between(now, absence.askAt()));
    return absence.events();
  }

  /** The Kubernetes node of a pod, if it may be lost. */
  Optional<NodeFacts> ofKubernetesNode(NodeReconcile reconcile, Pod pod) {
    String name = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
    if (name == null) {
      return Optional.empty();
    }
    boolean isInDoubt =
        PodFacts.isKubernetesNodeInDoubt(pod, reconcile.snapshot().now())
            || kubernetesNodes.wasLost(name);
    return isInDoubt ? ask("Node " + name, () -> kubernetesNodes.of(name)) : Optional.empty();
  }

  /** Forgets a node that is gone. */
  void forget(ResourceID node) {
    absences.remove(node);
  }

  private static boolean isPodMissing(NodeReconcile reconcile) {
    return reconcile.status().statefulSet() != null
        && !reconcile.snapshot().isPaused()
        && reconcile.snapshot().ownedPod().isEmpty();
  }

  /**
   * Early enough for the answer to be there when the node's deadline passes; at once if it has
   * passed, for then an earlier process knew the answer.
   */
  private Duration patience(NodeReconcile reconcile) {
    if (Conditions.isTrue(reconcile.status().conditions(), NodeConditionType.STALLED.toString())) {
      return Duration.ZERO;
    }
    Duration half = deadline.of(reconcile.node()).dividedBy(2);
    return half.compareTo(PATIENCE) < 0 ? half : PATIENCE;
  }

  private Optional<List<Event>> eventsOfStatefulSet(NodeReconcile reconcile) {
    String uid = reconcile.status().statefulSet().uid();
    return ask("Events", () -> api.eventsAbout(uid, reconcile.namespace(), MAX_EVENTS));
  }

  /** An explanation is not worth a failed reconcile: the rights to read it may not be there. */
  private static <T> Optional<T> ask(String what, Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (KubernetesClientException e) {
      log.warn("Cannot read {} to diagnose why a node makes no progress: {}", what, e.getMessage());
      return Optional.empty();
    }
  }
}
