package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.plan.Aim;
import io.sei.operator.plan.Aim.Over;
import io.sei.operator.plan.Aim.Rank;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.plan.Planner;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides from a snapshot whether a node needs a plan, and which: what its pod and its start ask
 * for, beside what features aim at.
 *
 * @param isKnown whether this build can run a stored plan
 */
public record NodePlanner(Predicate<TaskPlan> isKnown, List<NodeFeature> features) {

  /** Decides. */
  public PlanDecision decide(NodeSnapshot snapshot) {
    return new Planner(isKnown)
        .decide(
            snapshot.status().plan(),
            over ->
                Stream.concat(
                    ofCore(snapshot, over),
                    features.stream().flatMap(it -> it.aims(snapshot, over).stream())),
            snapshot.now());
  }

  private static Stream<Aim> ofCore(NodeSnapshot snapshot, Over over) {
    return switch (over) {
      case NONE -> withoutPlan(snapshot);
      case FOREIGN ->
          Stream.of(pod(snapshot, "the stored plan is from another version of the operator"));
      case ACTIVE -> beforeItsEnd(snapshot, snapshot.status().plan());
      case FAILED -> afterFailure(snapshot, snapshot.status().plan());
    };
  }

  private static Stream<Aim> beforeItsEnd(NodeSnapshot snapshot, TaskPlan plan) {
    PlanTarget target = plan.target();
    boolean otherStatefulSet =
        target.statefulSetUid() != null
            && !snapshot.trackedUid().equals(Optional.of(target.statefulSetUid()));
    return Stream.of(
            ofSpec(snapshot, target),
            when(otherStatefulSet, () -> pod(snapshot, "the StatefulSet was replaced")),
            when(
                plan.kind() == PlanKind.CONFIG && snapshot.hasUnstartedPodOfOlderTemplate(),
                () -> pod(snapshot, "nothing has run in the pod, and its template has changed")))
        .flatMap(Optional::stream);
  }

  private static Stream<Aim> afterFailure(NodeSnapshot snapshot, TaskPlan plan) {
    boolean retried = !Objects.equals(plan.target().retry(), snapshot.retryRequest().orElse(null));
    return Stream.of(
            ofSpec(snapshot, plan.target()),
            when(retried, () -> pod(snapshot, "a retry was requested")),
            when(plan.kind() == PlanKind.INIT, () -> afterFailedInit(snapshot, plan)))
        .flatMap(Optional::stream);
  }

  private static Aim afterFailedInit(NodeSnapshot snapshot, TaskPlan plan) {
    return snapshot.isEditedSince(plan)
        ? Aim.of(Rank.FIRST_RUN, PlanKind.INIT, "the spec changed")
        : Aim.rest(Rank.FIRST_RUN);
  }

  private static Optional<Aim> ofSpec(NodeSnapshot snapshot, PlanTarget target) {
    return when(
        !target.specHash().equals(snapshot.specHash()),
        () -> pod(snapshot, snapshot.differenceFrom(target.image())));
  }

  private static Stream<Aim> withoutPlan(NodeSnapshot snapshot) {
    // What ends a pod waits until it may be ended; its sidecar does not, nor does another image.
    boolean kept =
        snapshot.isKept() && snapshot.livePod().isPresent() && !snapshot.isImageAloneToChange();
    String never = "the node has never run";
    return Stream.of(
            when(
                !kept && isOutdated(snapshot),
                () -> pod(snapshot, snapshot.isRunning() ? snapshot.difference() : never)),
            when(!snapshot.isRunning(), () -> Aim.of(Rank.FIRST_RUN, PlanKind.INIT, never)),
            when(
                snapshot.isSidecarWaiting(),
                () -> Aim.of(Rank.START, PlanKind.MARK_READY, "the sidecar restarted")))
        .flatMap(Optional::stream);
  }

  /** What runs and is recorded is not what the spec asks for. */
  private static boolean isOutdated(NodeSnapshot snapshot) {
    SeiNodeStatus status = snapshot.status();
    return !snapshot.specHash().equals(status.podSpecHash())
        || !snapshot.node().getSpec().image().equals(status.currentImage())
        || snapshot.podDifference().isPresent()
        || snapshot.hasUnstartedPodOfOlderTemplate();
  }

  private static Aim pod(NodeSnapshot snapshot, String why) {
    return Aim.of(Rank.POD, snapshot.podPlan(), why);
  }

  private static Optional<Aim> when(boolean due, Supplier<Aim> aim) {
    return due ? Optional.of(aim.get()) : Optional.empty();
  }
}
