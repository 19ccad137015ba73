package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.objects.BootstrapTasks;
import io.sei.operator.render.Names;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads evidence that no cache holds: Events and Kubernetes nodes. They are many and change all the
 * time, so they are not watched. They are read only about a pod that is missing, waits for its
 * volume, has been unready for some time, or whose status another writer than its kubelet set; a
 * healthy node costs no request.
 */
public final class LiveEvidence {

  private static final Logger log = LoggerFactory.getLogger(LiveEvidence.class);

  /** A pod that is replaced is missing for a moment, and that says nothing. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Volumes are attached within half a minute mostly. */
  private static final Duration ATTACHES = Duration.ofSeconds(30);

  /** Interval at which Events are read, since their creation is not watched. */
  private static final Duration RECHECK = Duration.ofSeconds(30);

  /**
   * Interval at which the machine of a pod that is not Ready is thought of. The loss of a machine
   * changes the status of Ready pods only, so that no watch reports it of this one.
   */
  private static final Duration MACHINE_RECHECK = Duration.ofMinutes(1);

  private static final int MAX_EVENTS = 100;

  /** Longer than reading them takes where they are few. */
  private static final Duration TURN = Duration.ofMillis(200);

  /**
   * Known Events about an object that keeps a node waiting, and the time of the next read.
   *
   * @param uid of the object that the Events are about
   */
  private record Wait(String uid, Instant askAt, List<Event> events) {}

  private final KubeApi api;
  private final KubernetesNodes kubernetesNodes;
  private final ProgressDeadline deadline;
  private final Clock clock;
  private final PerObjectMap<ResourceID, Wait> waits;

  /**
   * The API server looks for an object's Events among all of the namespace, which takes seconds
   * where they are many; then they are read for one node at a time, and the reconciles of others go
   * on without.
   */
  private final Semaphore turn = new Semaphore(1);

  /**
   * @param clock tells how long ago something was asked for, whatever the time is said to be
   */
  public LiveEvidence(
      KubeApi api,
      KubernetesNodes kubernetesNodes,
      ProgressDeadline deadline,
      PerObjectState<ResourceID> memory,
      Clock clock) {
    this.waits = memory.newMap();
    this.api = api;
    this.kubernetesNodes = kubernetesNodes;
    this.deadline = deadline;
    this.clock = clock;
  }

  /**
   * Events about what a node waits for: a pod that is missing, a claim that is not bound, or the
   * volumes of a pod; none if it does not.
   */
  List<Event> ofWaiting(NodePass pass, Optional<Pod> pod) {
    ResourceID node = ResourceID.fromResource(pass.node());
    Optional<String> subject = subject(pass, pod);
    if (subject.isEmpty()) {
      waits.remove(node);
      return List.of();
    }
    Instant now = clock.instant();
    Wait wait =
        waits
            .get(node)
            .filter(candidate -> candidate.uid().equals(subject.get()))
            .orElseGet(() -> new Wait(subject.get(), now.plus(patience(pass, pod)), List.of()));
    if (!now.isBefore(wait.askAt())) {
      wait =
          new Wait(wait.uid(), now.plus(RECHECK), inTurn(wait.uid(), pass).orElse(wait.events()));
    }
    waits.put(node, wait);
    pass.recheckAfter(Duration.between(now, wait.askAt()));
    return wait.events();
  }

  private Optional<String> subject(NodePass pass, Optional<Pod> pod) {
    if (isPodMissing(pass)) {
      return Optional.of(pass.draft().statefulSet().uid());
    }
    TaskPlan plan = pass.draft().plan();
    if (pod.isEmpty() && BootstrapTasks.isUnderWay(plan) && plan.isActive()) {
      String job = Names.bootstrapJob(pass.node());
      return ask("Job " + job, () -> api.get(Job.class, pass.namespace(), job))
          .flatMap(found -> found.map(present -> present.getMetadata().getUid()));
    }
    if (pod.filter(PodFacts::awaitsVolumes).isPresent()) {
      return pod.map(present -> present.getMetadata().getUid());
    }
    return pod.isPresent() && PodFacts.nodeName(pod.get()).isEmpty()
        ? pass.view()
            .claim()
            .filter(
                claim ->
                    claim.getStatus() != null && "Pending".equals(claim.getStatus().getPhase()))
            .map(claim -> claim.getMetadata().getUid())
        : Optional.empty();
  }

  /** The Kubernetes node of a pod, if it may be lost. */
  Optional<NodeFacts> ofKubernetesNode(NodePass pass, Pod pod) {
    String name = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
    if (name == null) {
      return Optional.empty();
    }
    if (!PodFacts.isReady(pod)) {
      pass.recheckAfter(MACHINE_RECHECK);
    }
    boolean isInDoubt =
        PodFacts.isKubernetesNodeInDoubt(pod, pass.view().now()) || kubernetesNodes.wasLost(name);
    if (!isInDoubt) {
      return Optional.empty();
    }
    Instant change = PodFacts.unreadySince(pod).orElse(Instant.EPOCH);
    return ask("Node " + name, () -> kubernetesNodes.of(name, change));
  }

  /** Returns whether the Kubernetes node of a pod is known not to report. */
  public boolean isMachineLost(NodePass pass, Pod pod) {
    return ofKubernetesNode(pass, pod).filter(NodeFacts::isLost).isPresent();
  }

  /** Reads the Kubernetes node of a pod; empty if it has none, or that cannot be read now. */
  public Optional<NodeFacts> machine(Pod pod) {
    return PodFacts.nodeName(pod)
        .flatMap(name -> ask("Node " + name, () -> kubernetesNodes.of(name)));
  }

  /** Returns whether the Kubernetes node of a pod is known to be Ready, and not about to leave. */
  public boolean machineTakesPods(Pod pod) {
    return machine(pod).filter(facts -> facts.state() == NodeFacts.State.READY).isPresent();
  }

  private static boolean isPodMissing(NodePass pass) {
    return pass.draft().statefulSet() != null
        && !pass.view().isPaused()
        && pass.view().ownedPod().isEmpty();
  }

  /**
   * Early enough for the answer to be there when the node's deadline passes; at once if it has
   * passed, for then an earlier process knew the answer.
   */
  private Duration patience(NodePass pass, Optional<Pod> pod) {
    if (isStalled(pass)) {
      return Duration.ZERO;
    }
    Duration half = deadline.of(pass.node()).dividedBy(2);
    Duration patience = pod.filter(PodFacts::awaitsVolumes).isPresent() ? ATTACHES : PATIENCE;
    return half.compareTo(patience) < 0 ? half : patience;
  }

  /** A node that is Stalled does not wait for its turn: without Events it would recover. */
  private Optional<List<Event>> inTurn(String uid, NodePass pass) {
    if (isStalled(pass)) {
      return eventsAbout(uid, pass);
    }
    try {
      if (!turn.tryAcquire(TURN.toMillis(), TimeUnit.MILLISECONDS)) {
        return Optional.empty();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
    try {
      return eventsAbout(uid, pass);
    } finally {
      turn.release();
    }
  }

  private static boolean isStalled(NodePass pass) {
    return pass.draft().stalledSince().isPresent();
  }

  private Optional<List<Event>> eventsAbout(String uid, NodePass pass) {
    return ask("Events", () -> api.eventsAbout(uid, pass.namespace(), MAX_EVENTS));
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
