package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.plan.Planner;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SpecHash;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides from a view whether a node needs a plan, and which: by the triggers of its pod, its start
 * and its features.
 *
 * @param isKnown whether this build can run a stored plan
 */
public record NodePlanner(Predicate<TaskPlan> isKnown, OperationParts operations) {

  /** Decides. */
  public PlanDecision decide(NodeView view) {
    return new Planner(isKnown)
        .decide(
            view.stored().plan(),
            conflict -> Stream.concat(ofCore(view, conflict), operations.triggers(view, conflict)),
            view.now());
  }

  private static Stream<PlanTrigger> ofCore(NodeView view, PlanConflict conflict) {
    return switch (conflict) {
      case NONE -> withoutPlan(view);
      case FOREIGN ->
          Stream.of(pod(view, "the stored plan is from another version of the operator"));
      case ACTIVE -> beforeItsEnd(view, view.stored().plan());
      case FAILED -> afterFailure(view, view.stored().plan());
    };
  }

  private static Stream<PlanTrigger> beforeItsEnd(NodeView view, TaskPlan plan) {
    PlanTarget target = plan.target();
    boolean otherStatefulSet =
        target.statefulSetUid() != null
            && !view.trackedUid().equals(Optional.of(target.statefulSetUid()));
    return Stream.of(
            ofSpec(view, target),
            when(otherStatefulSet, () -> pod(view, "the StatefulSet was replaced")),
            when(
                plan.kind() == PlanKind.CONFIG && hasUnstartedPodOfOlderTemplate(view),
                () -> pod(view, "nothing has run in the pod, and its template has changed")))
        .flatMap(Optional::stream);
  }

  private static Stream<PlanTrigger> afterFailure(NodeView view, TaskPlan plan) {
    boolean retried = !Objects.equals(plan.target().retry(), view.retryRequest().orElse(null));
    return Stream.of(
            ofSpec(view, plan.target()),
            when(retried, () -> pod(view, "a retry was requested")),
            when(plan.kind() == PlanKind.INIT, () -> afterFailedInit(view, plan)))
        .flatMap(Optional::stream);
  }

  private static PlanTrigger afterFailedInit(NodeView view, TaskPlan plan) {
    return view.isEditedSince(plan)
        ? PlanTrigger.of(Rank.FIRST_RUN, PlanKind.INIT, "the spec changed")
        : PlanTrigger.rest(Rank.FIRST_RUN);
  }

  private static Optional<PlanTrigger> ofSpec(NodeView view, PlanTarget target) {
    return when(
        !target.specHash().equals(view.specHash()),
        () -> pod(view, view.differenceFrom(target.image())));
  }

  private static Stream<PlanTrigger> withoutPlan(NodeView view) {
    // What ends a pod waits until it may be ended; its sidecar does not, nor does another image.
    boolean kept = view.isKept() && view.livePod().isPresent() && !isImageAloneToChange(view);
    String never = "the node has never run";
    return Stream.of(
            when(
                !kept && isOutdated(view),
                () -> pod(view, view.isRunning() ? view.difference() : never)),
            when(!view.isRunning(), () -> PlanTrigger.of(Rank.FIRST_RUN, PlanKind.INIT, never)),
            when(
                view.isSidecarWaiting(),
                () -> PlanTrigger.of(Rank.START, PlanKind.MARK_READY, "the sidecar restarted")))
        .flatMap(Optional::stream);
  }

  /** Returns whether the pod or its record differs from the spec. */
  private static boolean isOutdated(NodeView view) {
    SeiNodeStatus status = view.stored();
    return !view.specHash().equals(status.podSpecHash())
        || !view.node().getSpec().image().equals(status.currentImage())
        || view.podDifference().isPresent()
        || hasUnstartedPodOfOlderTemplate(view);
  }

  /** Returns whether nothing has ever run in the pod, and the template has changed since. */
  private static boolean hasUnstartedPodOfOlderTemplate(NodeView view) {
    Optional<String> revision =
        view.statefulSet().map(StatefulSet::getStatus).map(StatefulSetStatus::getUpdateRevision);
    return revision.isPresent()
        && view.livePod()
            .filter(pod -> PodFacts.hasNeverRun(pod) && !PodFacts.revision(pod).equals(revision))
            .isPresent();
  }

  /**
   * Returns whether the image of seid is all in which the pod differs from the spec, and the pod
   * has the digest of the rest of its template.
   */
  private static boolean isImageAloneToChange(NodeView view) {
    Pod pod = view.livePod().orElse(null);
    if (pod == null
        || Annotations.of(pod, Annotations.BODY_HASH).isEmpty()
        || !view.isConfigured()) {
      return false;
    }
    Optional<String> hash =
        view.imageOf(pod)
            .map(
                image ->
                    SpecHash.of(
                        view.node().getSpec().withImage(image),
                        Annotations.restartRequestedAt(view.node()).orElse(null)));
    return hash.isPresent()
        && !hash.get().equals(view.specHash())
        && view.stampOf(pod).equals(hash);
  }

  private static PlanTrigger pod(NodeView view, String why) {
    return PlanTrigger.of(Rank.POD, view.podPlan(), why);
  }

  private static Optional<PlanTrigger> when(boolean due, Supplier<PlanTrigger> trigger) {
    return due ? Optional.of(trigger.get()) : Optional.empty();
  }
}
