package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.feature.NodePass;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * PURE: input that a node waits for and that none of its own objects shows: Secrets with keys, a
 * key that no other node signs with, nodes to sync state from. It is read again every few seconds,
 * so that no retry has to be requested.
 */
final class AwaitedInput {

  private static final String CREATE =
      "create the Secret, or give the operator the right to get it; the node goes on by itself"
          + " within seconds";

  private static final String CORRECT =
      "correct the Secret; the node goes on by itself within seconds";

  private static final List<Cause> CAUSES =
      List.of(
          new Cause(
              NodeReason.SIGNING_KEY_NOT_READY, StallReason.SIGNING_KEY_MISSING, CREATE, false),
          new Cause(NodeReason.SIGNING_KEY_INVALID, StallReason.SIGNING_KEY_INVALID, CORRECT, true),
          new Cause(
              NodeReason.IN_USE,
              StallReason.SIGNING_KEY_IN_USE,
              "delete or pause that one, or give this node a key of its own; the chain removes a"
                  + " validator for good whose key signs twice",
              false),
          new Cause(
              NodeReason.SIGNING_STATE_MISSING,
              StallReason.SIGNING_STATE_UNKNOWN,
              "give this node that claim (spec.dataVolume.import), or one bound to the same volume;"
                  + " or, only once nothing can be signed twice, set"
                  + " spec.validator.acceptSigningStateLoss to the value that is named",
              true),
          new Cause(
              NodeReason.SIGNING_UNCERTAIN,
              StallReason.NODE_LOST,
              "bring the machine back, delete its Node, or taint it"
                  + " node.kubernetes.io/out-of-service; or, once you know that the container has"
                  + " ended, set spec.endedPodUid of the SeiSigningKey",
              true),
          new Cause(
              NodeReason.SIGNING_KEY_UNGUARDED,
              StallReason.APPLY_REFUSED,
              "grant it (files/rbac/signing-keys.yaml of the chart); or, unless the node has a"
                  + " remoteSigner, set signing.scope of the chart to Namespaces, by which other"
                  + " namespaces are not looked at",
              true),
          new Cause(NodeReason.NODE_KEY_NOT_READY, StallReason.KEY_SECRET_MISSING, CREATE, false),
          new Cause(
              NodeReason.OPERATOR_KEYRING_NOT_READY, StallReason.KEY_SECRET_MISSING, CREATE, false),
          new Cause(NodeReason.NODE_KEY_INVALID, StallReason.KEY_SECRET_INVALID, CORRECT, true),
          new Cause(
              NodeReason.OPERATOR_KEYRING_INVALID, StallReason.KEY_SECRET_INVALID, CORRECT, true),
          new Cause(
              StallReason.WITNESSES_MISSING,
              StallReason.WITNESSES_MISSING,
              "the node goes on by itself once it has them",
              false));

  private AwaitedInput() {}

  /**
   * Cause of the reason of a task or condition.
   *
   * @param terminal whether only a person can end it, so that no deadline is waited for
   */
  private record Cause(Reason given, StallReason reason, String nextStep, boolean terminal) {

    /** The finding of the first cause whose reason is given. */
    static Optional<Finding> find(Predicate<Reason> isGiven, String seen) {
      return CAUSES.stream()
          .filter(cause -> isGiven.test(cause.given))
          .map(cause -> new Finding(cause.reason, seen, cause.nextStep, cause.terminal))
          .findFirst();
    }
  }

  /** Returns the missing input; empty if there is none, or if the node does not run anyway. */
  static Optional<Finding> of(NodePass pass) {
    return pass.view().isPaused() ? Optional.empty() : reported(pass).or(() -> awaited(pass));
  }

  /** Found out in this very reconcile, by a plan or by what leads to a pod without one. */
  private static Optional<Finding> reported(NodePass pass) {
    return pass.offers().values().stream()
        .filter(report -> report.status() == ConditionStatus.FALSE)
        .flatMap(
            report -> Cause.find(reason -> reason.is(report.reason()), report.message()).stream())
        .findFirst();
  }

  /** Recorded of the task that the plan waits at. */
  private static Optional<Finding> awaited(NodePass pass) {
    return Optional.ofNullable(pass.draft().plan())
        .filter(TaskPlan::isActive)
        .flatMap(TaskPlan::currentTask)
        .flatMap(task -> Cause.find(task::waitsFor, task.message()));
  }
}
