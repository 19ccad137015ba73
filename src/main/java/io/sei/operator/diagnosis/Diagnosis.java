package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.APPLY_REFUSED;
import static io.sei.operator.api.v1alpha1.StallReason.INVALID_SPEC;
import static io.sei.operator.api.v1alpha1.StallReason.KEY_SECRET_INVALID;
import static io.sei.operator.api.v1alpha1.StallReason.KEY_SECRET_MISSING;
import static io.sei.operator.api.v1alpha1.StallReason.QUOTA_EXCEEDED;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_KEY_INVALID;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_KEY_IN_USE;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_KEY_MISSING;
import static io.sei.operator.api.v1alpha1.StallReason.STATEFUL_SET_CONFLICT;
import static io.sei.operator.api.v1alpha1.StallReason.UNKNOWN;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.StallReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Says why a node does not progress.
 *
 * <p>Reports the most important finding and names other containers with problems after it. A cause
 * comes before its consequences, and what makes other evidence worthless comes first:
 *
 * <ol>
 *   <li>StatefulSetConflict: pods and events of a foreign StatefulSet tell nothing about this node
 *   <li>a refused write (ApplyRefused, QuotaExceeded): the operator cannot act, whatever the pod
 *       says; unless the pod is of what is wanted, and a rollback would do harm to it
 *   <li>SigningStateUnknown: whatever else is wrong, seid must not start
 *   <li>what is wrong with a validator's keys: no other pod is made before that is put right
 *   <li>NodeLost: a silent kubelet makes everything else the pod says a memory
 *   <li>PodTerminating: a terminating pod no longer speaks for the node; within its grace period
 *       there is nothing to say at all
 *   <li>PodFailed: the kubelet ended or rejected the pod, whatever its containers ended with
 *   <li>HaltedAtUpgrade, ImageTooEarly: before ImagePull and CrashLoop, for such a seid <em>is</em>
 *       in CrashLoopBackOff, and a rollback of one would damage it; HaltedByConfiguration, and what
 *       waiting does not heal ({@link CauseOfDeath}), likewise
 *   <li>ImagePull, RegistryUnreachable: before CrashLoop, for containers that wait for a missing
 *       one may crash
 *   <li>CrashLoop, and the other causes of death; of several containers the nearest to seid
 *   <li>QuotaExceeded: there is no pod at all
 *   <li>VolumePending, MountSourceMissing: before Unschedulable, for the scheduler also complains
 *       about unbound claims
 *   <li>Unschedulable
 *   <li>Unknown, with the words of the kubelet or the controller of the pod
 *   <li>WitnessesMissing: the sidecar is asked for nothing before they are there; PodResizePending
 *       HeightStandsStill and SeidNotResponding, which none of the objects shows either
 *   <li>problems with the sidecar: each of the above makes it unreachable
 *   <li>problems of containers that seid does not need, such as the exporter
 * </ol>
 */
public final class Diagnosis {

  /** Time for which a cause may be held back, since it disappears where nothing is wrong. */
  public static final Duration SETTLES = SidecarSymptoms.START;

  /** Causes for which a pod with a validator's keys is not created. */
  private static final Set<StallReason> KEYS =
      Set.of(
          SIGNING_KEY_MISSING,
          SIGNING_KEY_INVALID,
          SIGNING_KEY_IN_USE,
          KEY_SECRET_MISSING,
          KEY_SECRET_INVALID);

  private Diagnosis() {}

  private static Optional<Finding> awaited(Evidence evidence) {
    return Optional.ofNullable(evidence.awaited());
  }

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
              "delete that object, or recreate this node under another name; the operator has not"
                  + " touched it"));
    }
    List<Symptom> symptoms = ContainerSymptoms.of(evidence, now);
    if (evidence.refusal() != null && !isNotToRollBack(evidence, symptoms)) {
      return Optional.of(evidence.refusal());
    }
    Optional<Finding> leaving =
        PlacementSymptoms.signingStateUnknown(evidence)
            .or(() -> awaited(evidence).filter(finding -> KEYS.contains(finding.reason())))
            .or(() -> PlacementSymptoms.nodeLost(evidence))
            .or(() -> PlacementSymptoms.terminating(evidence, now));
    if (leaving.isPresent() || PodFacts.isTerminating(evidence.pod())) {
      return leaving;
    }
    return cause(evidence, symptoms, now).map(finding -> and(finding, symptoms));
  }

  private static Finding and(Finding cause, List<Symptom> symptoms) {
    List<Symptom> others = symptoms.stream().filter(symptom -> symptom.finding() != cause).toList();
    return cause.and(
        others.stream().map(Symptom::brief).toList(),
        others.stream().anyMatch(other -> other.finding().terminal()));
  }

  private static Optional<Finding> cause(Evidence evidence, List<Symptom> symptoms, Instant now) {
    return ContainerSymptoms.podFailed(evidence.pod())
        .or(() -> first(symptoms, symptom -> symptom.blocksSeid() && symptom.reason() != UNKNOWN))
        .or(() -> CreationSymptoms.quotaExceeded(evidence))
        .or(() -> PlacementSymptoms.volumePending(evidence))
        .or(() -> PlacementSymptoms.unschedulable(evidence))
        .or(() -> first(symptoms, Symptom::blocksSeid))
        .or(() -> CreationSymptoms.cannotCreate(evidence))
        .or(() -> awaited(evidence))
        .or(() -> SidecarSymptoms.of(evidence, now))
        .or(() -> first(symptoms, any -> true));
  }

  private static Optional<Finding> first(List<Symptom> symptoms, Predicate<Symptom> which) {
    return symptoms.stream().filter(which).map(Symptom::finding).findFirst();
  }

  /**
   * The cause of a node that has reached its deadline without one: the kubelet has not started the
   * pod's containers, or nothing known.
   *
   * @param seen what the node waits for
   */
  public static Finding atDeadline(Pod pod, String seen, String nextStep) {
    return PlacementSymptoms.notStarted(pod).orElseGet(() -> Finding.unknown(seen, nextStep));
  }

  /**
   * A write that the API server refuses. Time does not heal it; it is tried again all the same.
   *
   * @param words what was refused, in the API server's words
   */
  public static Finding refused(String words) {
    return words.contains(CreationSymptoms.OVER_QUOTA)
        ? Finding.terminal(
            QUOTA_EXCEEDED, words, "raise the quota of the namespace or request less")
        : Finding.terminal(
            APPLY_REFUSED, words, "fix the policy, the operator's rights or the spec");
  }

  /** Reports a spec that breaks rules or cannot be read. The pod keeps running. */
  public static Finding invalid(String errors) {
    return Finding.terminal(
        INVALID_SPEC, errors, "correct the spec; until then the operator changes nothing");
  }

  private static boolean isNotToRollBack(Evidence evidence, List<Symptom> symptoms) {
    return !evidence.stalePod()
        && symptoms.stream().map(Symptom::reason).anyMatch(CauseOfDeath::isRollbackHarmful);
  }
}
