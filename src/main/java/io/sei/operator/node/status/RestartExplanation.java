package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.Action;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PutOff;
import io.sei.operator.node.feature.SeidRestartDue;
import io.sei.operator.render.Annotations;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Says whether a node's pod would restart, and why, for the spec as it stands. */
public final class RestartExplanation {

  private RestartExplanation() {}

  /** The explanation for the status; null if none is requested. */
  public static Explanation of(NodePass pass) {
    Long generation = pass.node().getMetadata().getGeneration();
    return Explanation.renewed(
        pass.stored().explain(),
        Annotations.explainRequest(pass.node()),
        generation,
        request -> {
          ExplainedNode node = explain(pass);
          boolean restarts = node.action() == Action.RESTART;
          return new Explanation(
              request,
              generation,
              pass.view().now(),
              (restarts ? "the pod restarts: " : "nothing restarts: ") + node.reason(),
              List.of(node));
        });
  }

  private static ExplainedNode explain(NodePass pass) {
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
      return pass.seidRestartDue()
          .filter(SeidRestartDue::byItself)
          .map(due -> node(pass, Action.RESTART, due.why()))
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
        : node(pass, Action.RESTART, difference.get() + way(pass));
  }

  private static String way(NodePass pass) {
    boolean isInPlaceWanted =
        pass.node()
            .getSpec()
            .podUpdates()
            .filter(policy -> policy == UpdatePolicy.OfPod.IN_PLACE_IF_POSSIBLE)
            .isPresent();
    if (!isInPlaceWanted) {
      return "";
    }
    PodUpdate update = pass.draft().podUpdate();
    boolean isDecided =
        update != null
            && Objects.equals(update.specHash(), pass.view().specHash())
            && pass.view()
                .livePod()
                .filter(pod -> pod.getMetadata().getUid().equals(update.podUid()))
                .isPresent();
    if (!isDecided) {
      return ", in place if nothing but images and resources differs";
    }
    return update.how() == PodUpdate.How.IN_PLACE
        ? ", in place"
        : ", in a new pod: " + update.message();
  }

  private static ExplainedNode restartPending(NodePass pass) {
    return pass.draftedCondition(NodeConditionType.RESTART_PENDING)
        .filter(proposal -> proposal.status() == ConditionStatus.TRUE)
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
