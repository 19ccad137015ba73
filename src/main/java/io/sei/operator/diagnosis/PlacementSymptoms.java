package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.MOUNT_SOURCE_MISSING;
import static io.sei.operator.api.v1alpha1.StallReason.NODE_LOST;
import static io.sei.operator.api.v1alpha1.StallReason.POD_NOT_STARTED;
import static io.sei.operator.api.v1alpha1.StallReason.POD_TERMINATING;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_STATE_UNKNOWN;
import static io.sei.operator.api.v1alpha1.StallReason.UNSCHEDULABLE;
import static io.sei.operator.api.v1alpha1.StallReason.VOLUME_PENDING;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.base.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Causes outside the containers: the Kubernetes node, the scheduler, the storage. */
final class PlacementSymptoms {

  private static final String OUT_OF_SERVICE =
      "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";

  private static final Set<String> VOLUME_TROUBLE =
      Set.of("FailedAttachVolume", "FailedMount", "FailedMapVolume");
  private static final Set<String> CLAIM_TROUBLE = Set.of("ProvisioningFailed", "FailedBinding");
  private static final Set<String> SCHEDULER_TROUBLE = Set.of("FailedScheduling");

  /**
   * Words of the scheduler about a claim that is not there or not bound. A conflict with the
   * volume's zone is not among them: there the volume is fine and the zone has no room.
   */
  private static final Pattern CLAIM_MISSING =
      Pattern.compile(
          "unbound|persistentvolumeclaim|didn't find available persistent volumes",
          Pattern.CASE_INSENSITIVE);

  /** Text of the kubelet about a missing source of a mount. */
  private static final Pattern MOUNT_SOURCE =
      Pattern.compile("(?:secret|configmap) \"[^\"]+\" not found|references non-existent");

  /** Text of the scheduler about a volume that cannot be used on a Kubernetes node. */
  private static final String PINNED = "volume node affinity conflict";

  /**
   * Text of the attach-detach controller about a volume that is attached to another Kubernetes
   * node, in 1.30 and in 1.37.
   */
  private static final Pattern STILL_ATTACHED =
      Pattern.compile("Multi-Attach error|Waiting for detach");

  /**
   * Text of that controller while it waits for a kubelet to unmount a volume, for six minutes at
   * most.
   */
  private static final String DETACHING =
      "the volume follows once the Kubernetes node that had it detaches it, within six minutes; if"
          + " that one is lost and its machine is certainly off, taint it "
          + OUT_OF_SERVICE;

  private PlacementSymptoms() {}

  static Optional<Finding> nodeLost(Evidence evidence) {
    Pod pod = evidence.pod();
    NodeFacts node = evidence.node();
    Optional<String> boundTo = PodFacts.nodeName(pod);
    if (node == null || boundTo.isEmpty() || !boundTo.get().equals(node.name())) {
      return Optional.empty();
    }
    if (node.state() == NodeFacts.State.UNREADABLE) {
      return presumablyLost(pod, node);
    }
    if (!node.isLost() || PodFacts.hasEnded(pod)) {
      return Optional.empty();
    }
    boolean exists = node.state() == NodeFacts.State.SILENT;
    String lost = exists ? "is NotReady" : "no longer exists";
    String remedy =
        exists
            ? "once the machine is certainly off, taint the node "
                + OUT_OF_SERVICE
                + " to move the pod and its volume"
            : "the pod garbage collector deletes the pod; if the node registers again"
                + " without a machine, taint it "
                + OUT_OF_SERVICE;
    return Optional.of(
        Finding.of(
            NODE_LOST,
            "Kubernetes node %s %s; seid of pod %s may still run there"
                .formatted(node.name(), lost, PodFacts.name(pod)),
            keepData(evidence.claim())
                + remedy
                + "; a second seid beside a running one could sign twice"));
  }

  /** The taint, and the garbage collector, end the pod that keeps a deleted claim. */
  private static String keepData(PersistentVolumeClaim claim) {
    if (claim == null || !claim.isMarkedForDeletion()) {
      return "";
    }
    return "first keep the data: claim %s is being deleted, and its volume with the pod unless the reclaim policy is Retain; "
        .formatted(claim.getMetadata().getName());
  }

  /**
   * Returns the finding for a Kubernetes node that is probably lost. Only the control plane
   * overrules a kubelet, or a user by a taint.
   */
  private static Optional<Finding> presumablyLost(Pod pod, NodeFacts node) {
    boolean gated =
        pod.getSpec().getReadinessGates() != null && !pod.getSpec().getReadinessGates().isEmpty();
    if (!PodFacts.isReadinessOverruled(pod) || PodFacts.isTerminating(pod) || gated) {
      return Optional.empty();
    }
    return Optional.of(
        Finding.of(
            NODE_LOST,
            "the control plane marked pod %s not Ready, its kubelet last reported it Ready;"
                    .formatted(PodFacts.name(pod))
                + " Kubernetes node %s is probably NotReady; the operator may not read it"
                    .formatted(node.name()),
            "check Kubernetes node %s; a second seid beside a running one could sign twice"
                .formatted(node.name())));
  }

  static Optional<Finding> terminating(Evidence evidence, Instant now) {
    Pod pod = evidence.pod();
    if (!PodFacts.isOverdue(pod, now)) {
      return Optional.empty();
    }
    Duration late =
        Times.parse(pod.getMetadata().getDeletionTimestamp())
            .map(due -> Duration.between(due, now))
            .orElse(Duration.ZERO);
    List<String> finalizers = pod.getMetadata().getFinalizers();
    String next =
        finalizers.isEmpty()
            ? "check the kubelet and the volumes of Kubernetes node "
                + PodFacts.nodeName(pod).orElse("(none)")
            : "its finalizers " + String.join(", ", finalizers) + " wait for their controllers";
    return Optional.of(
        Finding.of(
            POD_TERMINATING,
            "pod %s should have been gone %d s ago".formatted(PodFacts.name(pod), late.toSeconds()),
            next));
  }

  static Optional<Finding> signingStateUnknown(Evidence evidence) {
    return Optional.ofNullable(evidence.lostSignatures())
        .map(
            what ->
                Finding.terminal(
                    SIGNING_STATE_UNKNOWN,
                    "claim %s %s, and nothing records what the validator has signed"
                        .formatted(evidence.claimName(), what),
                    "bind a new claim to its volume if the storage still has that; else, once its key"
                        + " is safe from double signing, set"
                        + " spec.validator.acceptSigningStateLoss to the uid of the claim or the"
                        + " VolumeSnapshot or, if the claim is gone, that and"
                        + " spec.dataVolume.acceptDataLoss to status.dataClaimUid"));
  }

  static Optional<Finding> volumePending(Evidence evidence) {
    Pod pod = evidence.pod();
    Optional<String> phase = claimPhase(evidence);
    if (phase.filter("Lost"::equals).isPresent() && !PodFacts.isReady(pod)) {
      return Optional.of(
          Finding.of(
              VOLUME_PENDING,
              "claim %s is Lost: its volume %s is gone"
                  .formatted(
                      claimName(evidence),
                      evidence.claim().getSpec() == null
                          ? ""
                          : evidence.claim().getSpec().getVolumeName()),
              "restore the volume, or delete claim and node to start from a snapshot"));
    }
    if (pod == null || PodFacts.hasStarted(pod)) {
      return Optional.empty();
    }
    Optional<String> unschedulable = schedulerSays(evidence);
    if (unschedulable.isPresent()) {
      // A claim that binds with its first consumer stays Pending while the pod has no place.
      return unschedulable
          .filter(words -> CLAIM_MISSING.matcher(words).find())
          .map(words -> volume(evidence, "pod " + PodFacts.name(pod) + ": " + words));
    }
    if (evidence.claimName() != null && evidence.claim() == null) {
      return Optional.of(volume(evidence, "claim " + evidence.claimName() + " does not exist"));
    }
    if (phase.filter("Pending"::equals).isPresent()) {
      return Optional.of(volume(evidence, "claim " + claimName(evidence) + " is Pending"));
    }
    Optional<Event> trouble = Events.newest(Events.ofPod(evidence), VOLUME_TROUBLE);
    Optional<Finding> missing = trouble.flatMap(event -> mountSourceMissing(pod, event));
    if (missing.isPresent()) {
      return missing;
    }
    return trouble.map(
        event ->
            Finding.of(
                VOLUME_PENDING,
                event.getReason() + ": " + event.getMessage(),
                STILL_ATTACHED.matcher(String.valueOf(event.getMessage())).find()
                    ? DETACHING
                    : "check the volume, and the Secrets and ConfigMaps that pod "
                        + PodFacts.name(pod)
                        + " mounts"));
  }

  /**
   * Returns the finding for a template that names an object that does not exist; the kubelet
   * continues once it does.
   */
  private static Optional<Finding> mountSourceMissing(Pod pod, Event event) {
    String message = String.valueOf(event.getMessage());
    return MOUNT_SOURCE.matcher(message).find()
        ? Optional.of(
            Finding.of(
                MOUNT_SOURCE_MISSING,
                "pod %s: %s".formatted(PodFacts.name(pod), message),
                "create that Secret or ConfigMap, or add the key that it lacks; if a webhook added"
                    + " the mount, correct the webhook; the pod then starts by itself"))
        : Optional.empty();
  }

  /**
   * A pod that is bound to a Kubernetes node and whose next container the kubelet has not started:
   * it mounts volumes, makes the sandbox or pulls an image. No template is to blame for that.
   */
  static Optional<Finding> notStarted(Pod pod) {
    Optional<String> node = PodFacts.nodeName(pod);
    if (node.isEmpty() || PodFacts.isTerminating(pod) || !PodFacts.awaitsKubelet(pod)) {
      return Optional.empty();
    }
    boolean hasSandbox = PodFacts.condition(pod, "PodReadyToStartContainers", "True").isPresent();
    return Optional.of(
        Finding.of(
            POD_NOT_STARTED,
            "Kubernetes node %s has not %s"
                .formatted(
                    node.get(),
                    hasSandbox
                        ? "started the next container of pod " + PodFacts.name(pod)
                        : "mounted the volumes of pod %s and connected it yet"
                            .formatted(PodFacts.name(pod))),
            "check the Events of pod %s and the kubelet's log; mounting a large volume with fsGroup or"
                    .formatted(PodFacts.name(pod))
                + " SELinux labels, and pulling a large image, can take an hour"));
  }

  static Optional<Finding> unschedulable(Evidence evidence) {
    if (evidence.pod() == null || PodFacts.hasStarted(evidence.pod())) {
      return Optional.empty();
    }
    return schedulerSays(evidence)
        .map(
            words ->
                Finding.of(
                    UNSCHEDULABLE,
                    "pod " + PodFacts.name(evidence.pod()) + ": " + words,
                    words.contains(PINNED)
                        ? "the volume is usable only in its zone or on its Kubernetes node:"
                            + " uncordon that node, or add capacity there"
                        : "add capacity, or check requests, tolerations, node affinity and the zone"
                            + " of the volume"));
  }

  private static Finding volume(Evidence evidence, String seen) {
    String detail =
        Events.newest(Events.ofClaim(evidence), CLAIM_TROUBLE)
            .map(Event::getMessage)
            .map(message -> ": " + message)
            .orElse("");
    return Finding.of(
        VOLUME_PENDING,
        seen + detail,
        "check " + storageClass(evidence) + " and the events of claim " + claimName(evidence));
  }

  private static String storageClass(Evidence evidence) {
    return Optional.ofNullable(evidence.claim())
        .map(claim -> claim.getSpec())
        .map(spec -> spec.getStorageClassName())
        .map(name -> "StorageClass " + name)
        .orElse("the default StorageClass");
  }

  private static Optional<String> schedulerSays(Evidence evidence) {
    if (PodFacts.nodeName(evidence.pod()).isPresent()) {
      return Optional.empty();
    }
    return PodFacts.condition(evidence.pod(), "PodScheduled", "False")
        .map(
            condition ->
                condition.getMessage() == null
                    ? String.valueOf(condition.getReason())
                    : condition.getMessage())
        .or(() -> Events.newest(Events.ofPod(evidence), SCHEDULER_TROUBLE).map(Event::getMessage));
  }

  private static Optional<String> claimPhase(Evidence evidence) {
    return Optional.ofNullable(evidence.claim())
        .map(claim -> claim.getStatus())
        .map(status -> status.getPhase());
  }

  private static String claimName(Evidence evidence) {
    if (evidence.claimName() != null) {
      return evidence.claimName();
    }
    return evidence.claim() == null || evidence.claim().getMetadata() == null
        ? "of the pod"
        : evidence.claim().getMetadata().getName();
  }
}
