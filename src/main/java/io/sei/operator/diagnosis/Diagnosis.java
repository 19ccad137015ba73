package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.STATEFUL_SET_CONFLICT;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Says why a node does not progress.
 *
 * <p>The first check that finds something answers. A cause comes before its consequences, and what
 * makes other evidence worthless comes first:
 *
 * <ol>
 *   <li>StatefulSetConflict: pods and events of a foreign StatefulSet tell nothing about this node
 *   <li>NodeLost: a silent kubelet makes everything else the pod says a memory
 *   <li>PodTerminating: a pod on its way out no longer speaks for the node; within its grace period
 *       there is nothing to say at all
 *   <li>HaltedAtUpgrade, ImageTooEarly: before ImagePull and CrashLoop, for such a seid <em>is</em>
 *       in CrashLoopBackOff, and a rollback of one would damage it
 *   <li>ImagePull: before CrashLoop, for containers that wait for a missing one may crash
 *   <li>CrashLoop
 *   <li>QuotaExceeded: there is no pod at all
 *   <li>VolumePending: before Unschedulable, for the scheduler also complains about unbound claims
 *   <li>Unschedulable
 *   <li>Unknown, with the words of the kubelet or the StatefulSet controller
 *   <li>sidecar trouble: last, for each of the above silences a sidecar
 * </ol>
 */
public final class Diagnosis {

  /** How long a cause may be held back, as it goes by itself where nothing is wrong. */
  public static final Duration SETTLES = SidecarSymptoms.START;

  private static final List<Check> CHECKS =
      List.of(
          ContainerSymptoms::haltedAtUpgrade,
          ContainerSymptoms::imageTooEarly,
          ContainerSymptoms::imagePull,
          ContainerSymptoms::crashLoop,
          CreationSymptoms::quotaExceeded,
          PlacementSymptoms::volumePending,
          PlacementSymptoms::unschedulable,
          ContainerSymptoms::cannotStart,
          CreationSymptoms::cannotCreate,
          SidecarSymptoms::of);

  private Diagnosis() {}

  /**
   * The cause that the evidence shows. Empty if the node is healthy or simply still starting: at
   * its deadline a caller then uses {@link Finding#unknown} with what it waited for.
   */
  public static Optional<Finding> of(Evidence evidence, Instant now) {
    if (evidence.statefulSetConflict() != null) {
      return Optional.of(
          Finding.terminal(
              STATEFUL_SET_CONFLICT,
              evidence.statefulSetConflict(),
              "rename this node or remove the other object; nothing of it was touched"));
    }
    Optional<Finding> leaving =
        PlacementSymptoms.nodeLost(evidence, now)
            .or(() -> PlacementSymptoms.terminating(evidence, now));
    if (leaving.isPresent() || PodFacts.isTerminating(evidence.pod())) {
      return leaving;
    }
    return CHECKS.stream()
        .map(check -> check.find(evidence, now))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** One possible cause. */
  @FunctionalInterface
  interface Check {
    Optional<Finding> find(Evidence evidence, Instant now);
  }
}
