package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.model.NodeReconcile;
import java.util.Map;
import java.util.Optional;

/**
 * PURE: what a node waits for that somebody has to provide, and that none of its own objects shows:
 * Secrets with keys, a key that nobody else signs with, nodes to sync state from. All of it is
 * looked for again every few seconds, so nobody has to ask for a retry.
 */
final class AwaitedInput {

  private static final String CREATE =
      "create the Secret, or give the operator the right to get it; the node goes on by itself within"
          + " seconds";

  private static final String CORRECT =
      "correct the Secret; the node goes on by itself within seconds";

  private static final Map<String, Cause> CAUSES =
      Map.of(
          NodeReason.SIGNING_KEY_NOT_READY.toString(),
          new Cause(StallReason.SIGNING_KEY_MISSING, CREATE, false),
          NodeReason.SIGNING_KEY_INVALID.toString(),
          new Cause(StallReason.SIGNING_KEY_INVALID, CORRECT, true),
          NodeReason.IN_USE.toString(),
          new Cause(
              StallReason.SIGNING_KEY_IN_USE,
              "delete or pause that one, or give this node a key of its own; the chain removes a"
                  + " validator for good whose key signs twice",
              false),
          NodeReason.NODE_KEY_NOT_READY.toString(),
          new Cause(StallReason.KEY_SECRET_MISSING, CREATE, false),
          NodeReason.OPERATOR_KEYRING_NOT_READY.toString(),
          new Cause(StallReason.KEY_SECRET_MISSING, CREATE, false),
          NodeReason.NODE_KEY_INVALID.toString(),
          new Cause(StallReason.KEY_SECRET_INVALID, CORRECT, true),
          NodeReason.OPERATOR_KEYRING_INVALID.toString(),
          new Cause(StallReason.KEY_SECRET_INVALID, CORRECT, true),
          StallReason.WITNESSES_MISSING.toString(),
          new Cause(
              StallReason.WITNESSES_MISSING, "the node goes on by itself once it has them", false));

  private AwaitedInput() {}

  /**
   * What the reason of a task or condition stands for.
   *
   * @param terminal whether only a person can end it, so that no deadline is waited for
   */
  private record Cause(StallReason reason, String nextStep, boolean terminal) {

    Finding of(String seen) {
      return new Finding(reason, seen, nextStep, terminal);
    }
  }

  /** What is missing; empty if nothing is, or if the node is not to run anyway. */
  static Optional<Finding> of(NodeReconcile reconcile) {
    return reconcile.snapshot().isPaused()
        ? Optional.empty()
        : reported(reconcile).or(() -> awaited(reconcile));
  }

  /** Found out in this very reconcile, by a plan or by what leads to a pod without one. */
  private static Optional<Finding> reported(NodeReconcile reconcile) {
    return reconcile.reports().stream()
        .filter(report -> report.status() == ConditionStatus.FALSE)
        .filter(report -> CAUSES.containsKey(report.reason().toString()))
        .map(report -> CAUSES.get(report.reason().toString()).of(report.message()))
        .findFirst();
  }

  /** Recorded of the task that the plan waits at. */
  private static Optional<Finding> awaited(NodeReconcile reconcile) {
    return Optional.ofNullable(reconcile.status().plan())
        .filter(TaskPlan::isActive)
        .flatMap(TaskPlan::currentTask)
        .filter(task -> task.reason() != null && CAUSES.containsKey(task.reason()))
        .map(task -> CAUSES.get(task.reason()).of(task.message()));
  }
}
