package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.Action;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PutOff;
import io.sei.operator.node.model.SeidRestartDue;
import io.sei.operator.render.Annotations;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says whether a node's pod would restart, and why, for the spec as it stands. */
public final class RestartExplanation {

  private RestartExplanation() {}

  /** The same where no feature acts. */
  public static Explanation of(NodeReconcile reconcile) {
    return of(reconcile, List.of());
  }

  /** The explanation the status is to have; null if nobody asks for one. */
  public static Explanation of(NodeReconcile reconcile, List<NodeFeature> features) {
    Long generation = reconcile.node().getMetadata().getGeneration();
    return Explanation.renewed(
        reconcile.snapshot().status().explain(),
        Annotations.explainRequest(reconcile.node()),
        generation,
        request -> {
          ExplainedNode node = explain(reconcile, features);
          boolean restarts = node.action() == Action.RESTART;
          return new Explanation(
              request,
              generation,
              reconcile.snapshot().now(),
              (restarts ? "the pod restarts: " : "nothing restarts: ") + node.reason(),
              List.of(node));
        });
  }

  private static ExplainedNode explain(NodeReconcile reconcile, List<NodeFeature> features) {
    NodeSnapshot snapshot = reconcile.snapshot();
    Optional<String> foreign = reconcile.conflict().or(reconcile::obstacle);
    if (foreign.isPresent()) {
      return node(reconcile, Action.WAIT, foreign.get());
    }
    Optional<String> putOff = PutOff.of(snapshot);
    if (putOff.isPresent()) {
      return node(
          reconcile,
          Action.WAIT,
          putOff.get() + "; the data would go with the pod, see the condition DataVolumeAtRisk");
    }
    if (snapshot.isPaused()) {
      return node(
          reconcile,
          Action.NONE,
          "spec.paused is true; when resumed, the pod starts with image "
              + reconcile.node().getSpec().image());
    }
    if (snapshot.livePod().isEmpty()) {
      return node(reconcile, Action.NONE, "no pod runs; the next one runs what the spec asks for");
    }
    Optional<String> difference = snapshot.podDifference();
    if (difference.isEmpty()) {
      return NodeFeature.restartOfSeid(features, reconcile)
          .filter(SeidRestartDue::byItself)
          .map(it -> node(reconcile, Action.RESTART, it.why()))
          .orElseGet(() -> restartPending(reconcile));
    }
    TaskPlan plan = reconcile.status().plan();
    boolean failed =
        plan != null
            && plan.isFailed()
            && plan.target() != null
            && snapshot.specHash().equals(plan.target().specHash());
    return failed
        ? node(
            reconcile,
            Action.WAIT,
            difference.get() + "; the last attempt failed: " + NodeEvents.failure(plan))
        : node(reconcile, Action.RESTART, difference.get() + ways(reconcile, features));
  }

  private static String ways(NodeReconcile reconcile, List<NodeFeature> features) {
    return features.stream()
        .flatMap(it -> it.explain(reconcile).stream())
        .map(it -> ", " + it)
        .collect(Collectors.joining());
  }

  private static ExplainedNode restartPending(NodeReconcile reconcile) {
    return reconcile
        .said(NodeConditionType.RESTART_PENDING)
        .filter(it -> it.status() == ConditionStatus.TRUE)
        .map(
            pending ->
                node(
                    reconcile,
                    Action.WAIT,
                    pending.message() + "; waits for sei.io/restart-requested-at"))
        .orElseGet(() -> node(reconcile, Action.NONE, "the pod runs what the spec asks for"));
  }

  private static ExplainedNode node(NodeReconcile reconcile, Action action, String reason) {
    return new ExplainedNode(reconcile.name(), action, action == Action.RESTART ? 1 : null, reason);
  }
}
