package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.Action;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.render.Annotations;
import java.util.List;
import java.util.Optional;

/** Says whether a node's pod would restart, and why, for the spec as it stands. */
final class RestartExplanation {

  private RestartExplanation() {}

  /** The explanation the status is to have; null if nobody asks for one. */
  static Explanation of(NodeWork work) {
    Long generation = work.node().getMetadata().getGeneration();
    return Explanation.renewed(
        work.snapshot().status().explain(),
        Annotations.explainRequest(work.node()),
        generation,
        request -> {
          ExplainedNode node = explain(work);
          boolean restarts = node.action() == Action.RESTART;
          return new Explanation(
              request,
              generation,
              work.snapshot().now(),
              (restarts ? "the pod restarts: " : "nothing restarts: ") + node.reason(),
              List.of(node));
        });
  }

  private static ExplainedNode explain(NodeWork work) {
    NodeSnapshot snapshot = work.snapshot();
    Optional<String> foreign = work.conflict().or(work::obstacle);
    if (foreign.isPresent()) {
      return node(work, Action.WAIT, foreign.get());
    }
    if (snapshot.isPaused()) {
      return node(
          work,
          Action.NONE,
          "is stopped by spec.paused; once that is cleared it starts with image "
              + work.node().getSpec().image());
    }
    if (snapshot.livePod().isEmpty()) {
      return node(work, Action.NONE, "no pod runs; the next one is what the spec asks for");
    }
    Optional<String> difference = NodePlanner.podDifference(snapshot);
    if (difference.isEmpty()) {
      return restartPending(work);
    }
    TaskPlan plan = work.status().plan();
    boolean failed =
        plan != null
            && plan.isFailed()
            && plan.target() != null
            && snapshot.specHash().equals(plan.target().specHash());
    return failed
        ? node(
            work,
            Action.WAIT,
            difference.get() + "; the last try failed: " + NodeEvents.failure(plan))
        : node(work, Action.RESTART, difference.get());
  }

  private static ExplainedNode restartPending(NodeWork work) {
    return Conditions.find(work.status().conditions(), NodeConditionType.RESTART_PENDING.toString())
        .filter(Condition::isTrue)
        .map(
            pending ->
                node(
                    work,
                    Action.WAIT,
                    pending.message() + "; waits for sei.io/restart-requested-at"))
        .orElseGet(() -> node(work, Action.NONE, "the pod is what the spec asks for"));
  }

  private static ExplainedNode node(NodeWork work, Action action, String reason) {
    return new ExplainedNode(work.name(), action, action == Action.RESTART ? 1 : null, reason);
  }
}
