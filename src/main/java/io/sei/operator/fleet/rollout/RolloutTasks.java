package io.sei.operator.fleet.rollout;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.RolloutVerdict;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The tasks of a rollout. They only observe: whose turn it is is decided and persisted before, and
 * every reconcile brings the nodes whose turn has come to the new template.
 */
public final class RolloutTasks {

  /** Type of the task that waits until every node's turn has come; the Go operator's name. */
  public static final String UPDATE_NODE_SPECS = "update-node-specs";

  /** Type of the task that waits until every node has got there; the Go operator's name. */
  public static final String AWAIT_SPEC_UPDATE = "await-spec-update";

  /** A backstop: the nodes' watch announces whatever is waited for. */
  private static final Duration RECHECK = Duration.ofMinutes(1);

  private RolloutTasks() {}

  /** All of them. */
  public static List<Task<FleetReconcile>> all() {
    return List.of(
        new Observe(UPDATE_NODE_SPECS, RolloutVerdict::admitted),
        new Observe(AWAIT_SPEC_UPDATE, RolloutVerdict::done));
  }

  private record Observe(String type, Predicate<RolloutVerdict> reached)
      implements Task<FleetReconcile> {

    @Override
    public TaskOutcome run(PlannedTask task, FleetReconcile reconcile) {
      RolloutVerdict verdict = reconcile.verdict().orElseThrow();
      if (reached.test(verdict)) {
        return TaskOutcome.done();
      }
      return verdict
          .stalled()
          .map(
              node ->
                  TaskOutcome.waitFor(
                      node.stall(),
                      "on hold: " + node.name() + ": " + node.stallMessage(),
                      RECHECK))
          .orElseGet(
              () ->
                  TaskOutcome.waitFor("RollingOut", "waiting for " + pending(reconcile), RECHECK));
    }

    private static String pending(FleetReconcile reconcile) {
      String target = reconcile.status().rollout().targetHash();
      return reconcile.snapshot().fleet().stream()
          .filter(node -> !node.runs(target) || !node.isReady())
          .map(FleetNode::name)
          .collect(Collectors.joining(", "));
    }
  }
}
