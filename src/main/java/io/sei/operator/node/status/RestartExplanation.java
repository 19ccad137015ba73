package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.Action;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.node.model.NodeView;
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
  public static Explanation of(NodePass pass) {
    return of(pass, List.of());
  }

  /** The explanation the status is to have; null if nobody asks for one. */
  public static Explanation of(NodePass pass, List<NodeFeature> features) {
    Long generation = pass.node().getMetadata().getGeneration();
    return Explanation.renewed(
        pass.view().stored().explain(),
        Annotations.explainRequest(pass.node()),
        generation,
        request -> {
          ExplainedNode node = explain(pass, features);
          boolean restarts = node.action() == Action.RESTART;
          return new Explanation(
              request,
              generation,
              pass.view().now(),
              (restarts ? "the pod restarts: " : "nothing restarts: ") + node.reason(),
              List.of(node));
        });
  }

  private static ExplainedNode explain(NodePass pass, List<NodeFeature> features) {
    NodeView view = pass.view();
    Optional<String> foreign = pass.conflict().or(pass::obstacle);
    if (foreign.isPresent()) {
      return node(pass, Action.WAIT, foreign.get());
    }
    Optional<String> putOff = PutOff.of(view);
    if (putOff.isPresent()) {
      return node(
          pass,
          Action.WAIT,
          putOff.get() + "; the data would go with the pod, see the condition DataVolumeAtRisk");
    }
    if (view.isPaused()) {
      return node(
          pass,
          Action.NONE,
          "spec.paused is true; when resumed, the pod starts with image "
              + pass.node().getSpec().image());
    }
    if (view.livePod().isEmpty()) {
      return node(pass, Action.NONE, "no pod runs; the next one runs what the spec asks for");
    }
    Optional<String> difference = view.podDifference();
    if (difference.isEmpty()) {
      return NodeFeature.restartOfSeid(features, pass)
          .filter(SeidRestartDue::byItself)
          .map(it -> node(pass, Action.RESTART, it.why()))
          .orElseGet(() -> restartPending(pass));
    }
    TaskPlan plan = pass.draft().plan();
    boolean failed =
        plan != null
            && plan.isFailed()
            && plan.target() != null
            && view.specHash().equals(plan.target().specHash());
    return failed
        ? node(
            pass,
            Action.WAIT,
            difference.get() + "; the last attempt failed: " + NodeEvents.failure(plan))
        : node(pass, Action.RESTART, difference.get() + ways(pass, features));
  }

  private static String ways(NodePass pass, List<NodeFeature> features) {
    return features.stream()
        .flatMap(it -> it.explainRestart(pass).stream())
        .map(it -> ", " + it)
        .collect(Collectors.joining());
  }

  private static ExplainedNode restartPending(NodePass pass) {
    return pass.said(NodeConditionType.RESTART_PENDING)
        .filter(it -> it.status() == ConditionStatus.TRUE)
        .map(
            pending ->
                node(
                    pass,
                    Action.WAIT,
                    pending.message() + "; waits for sei.io/restart-requested-at"))
        .orElseGet(() -> node(pass, Action.NONE, "the pod runs what the spec asks for"));
  }

  private static ExplainedNode node(NodePass pass, Action action, String reason) {
    return new ExplainedNode(pass.name(), action, action == Action.RESTART ? 1 : null, reason);
  }
}
