package io.sei.operator.deployment;

import io.sei.operator.api.v1alpha1.PlannedTask;
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
  public static List<Task<DeploymentWork>> all() {
    return List.of(
        new Observe(UPDATE_NODE_SPECS, RolloutPolicy.Verdict::admitted),
        new Observe(AWAIT_SPEC_UPDATE, RolloutPolicy.Verdict::done));
  }

  private record Observe(String type, Predicate<RolloutPolicy.Verdict> reached)
      implements Task<DeploymentWork> {

    @Override
    public TaskOutcome run(PlannedTask task, DeploymentWork work) {
      RolloutPolicy.Verdict verdict = work.verdict().orElseThrow();
      if (reached.test(verdict)) {
        return TaskOutcome.done();
      }
      return verdict
          .stalled()
          .map(
              node ->
                  TaskOutcome.waitFor(
                      node.stall(), "held by " + node.name() + ": " + node.stallMessage(), RECHECK))
          .orElseGet(
              () -> TaskOutcome.waitFor("RollingOut", "waiting for " + pending(work), RECHECK));
    }

    private static String pending(DeploymentWork work) {
      String target = work.status().rollout().targetHash();
      return work.snapshot().fleet().stream()
          .filter(node -> !node.runs(target) || !node.isReady())
          .map(FleetNode::name)
          .collect(Collectors.joining(", "));
    }
  }
}
