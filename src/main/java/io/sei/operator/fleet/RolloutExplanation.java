package io.sei.operator.fleet;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.Action;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.fleet.disruption.RolloutForecast;
import io.sei.operator.fleet.disruption.RolloutPlanner;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.Child;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.TemplateHash;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Says what would restart, in which order and why, for the spec as it stands. What is paused counts
 * as released: the question is what happens then.
 */
public final class RolloutExplanation {

  private final FleetView view;
  private final RolloutForecast forecast;

  private RolloutExplanation(FleetView view) {
    this.view = view;
    Rollout rollout =
        RolloutPlanner.wanted(view)
            .orElseGet(() -> new Rollout(view.target(), view.now(), List.of()));
    this.forecast = RolloutForecast.of(rollout, view.fleet(), view.limits(), view.now());
  }

  /** Returns the explanation for the status; null without a request. */
  public static Explanation of(FleetView view) {
    Long generation = view.deployment().getMetadata().getGeneration();
    return Explanation.renewed(
        view.stored().explain(),
        Annotations.explainRequest(view.deployment()),
        generation,
        request -> {
          List<ExplainedNode> nodes = new RolloutExplanation(released(view)).nodes();
          String summary = summary(view, nodes);
          return new Explanation(request, generation, view.now(), summary, nodes);
        });
  }

  /** The deployment as it is once the nodes that its own pause stopped are released. */
  private static FleetView released(FleetView view) {
    if (!view.isPaused()) {
      return view;
    }
    Boolean paused = view.template().spec().paused();
    return view.withChildren(
        view.children().stream()
            .map(
                child -> {
                  var node = new SeiNode();
                  node.setMetadata(child.node().getMetadata());
                  node.setSpec(child.node().getSpec().withPaused(paused));
                  node.setStatus(child.node().getStatus());
                  return new Child(node, child.ordinal());
                })
            .toList());
  }

  private static String summary(FleetView view, List<ExplainedNode> nodes) {
    String paused =
        view.isPaused()
            ? "once spec.paused is cleared: "
            : view.pausesRollouts() ? "once spec.updateStrategy.paused is cleared: " : "";
    String rolledBack =
        view.target().equals(view.templateHash())
            ? ""
            : "; " + view.describe(view.templateHash()) + " was rolled back and is not retried";
    long restarts = count(nodes, Action.RESTART);
    long waits = count(nodes, Action.WAIT);
    int waves =
        nodes.stream()
            .filter(node -> node.wave() != null)
            .mapToInt(ExplainedNode::wave)
            .max()
            .orElse(0);
    String order =
        restarts == 0
            ? "nothing restarts"
            : "%d of %d nodes restart in %d %s, with maxUnavailable %d"
                .formatted(
                    restarts,
                    nodes.size(),
                    waves,
                    waves == 1 ? "wave" : "waves",
                    view.limits().maxUnavailable());
    return paused + order + (waits == 0 ? "" : ", " + waits + " wait") + rolledBack;
  }

  private static long count(List<ExplainedNode> nodes, Action action) {
    return nodes.stream().filter(node -> node.action() == action).count();
  }

  private List<ExplainedNode> nodes() {
    return view.fleet().stream().map(node -> explain(view.child(node), node)).toList();
  }

  private ExplainedNode explain(SeiNode child, FleetNode node) {
    boolean given = node.isOn(view.target());
    Integer wave = forecast.waves().get(node.name());
    if (node.terminating()) {
      return none(node, "is being deleted");
    }
    if (node.absence().isPresent() && (given || node.isLeftAlone())) {
      String cause = node.absence().get().cause();
      String then =
          node.held() ? "; gets the template once it is Held" : "; restarts once that is cleared";
      return given ? none(node, cause) : wait(node, cause + then);
    }
    if (node.atRisk() && !node.runs(view.target())) {
      return wait(node, "its data would be lost; see its condition DataVolumeAtRisk");
    }
    if (node.phase() != NodePhase.RUNNING && given) {
      return none(node, "has not run yet and starts with this template");
    }
    if (wave != null && !(given && isKnownToRun(child))) {
      return new ExplainedNode(node.name(), Action.RESTART, wave, why(node, given));
    }
    if (!given && node.ordinal() < view.limits().partition()) {
      return none(
          node,
          "is below partition %d and keeps %s"
              .formatted(view.limits().partition(), view.describe(node.templateHash())));
    }
    return given ? there(child, node) : wait(node, waitsFor());
  }

  /**
   * Returns whether a node that has the template also runs it, although its status may not have
   * caught up with its newest generation: not every change of a spec restarts the pod.
   */
  private boolean isKnownToRun(SeiNode child) {
    TaskPlan plan = child.getStatus().plan();
    boolean atWork = plan != null && plan.isActive() && !isOfTarget(plan);
    return !atWork && view.target().equals(TemplateHash.ofSpecHash(child.getStatus().baseHash()));
  }

  private boolean isOfTarget(TaskPlan plan) {
    return plan.target() != null
        && view.target().equals(TemplateHash.ofSpecHash(plan.target().specHash()));
  }

  private String why(FleetNode node, boolean given) {
    return (given ? "admitted: " : "") + difference(node) + freely(node, given);
  }

  private String difference(FleetNode node) {
    Optional<String> image = view.template(view.target()).map(template -> template.spec().image());
    return image.filter(text -> !text.equals(node.image())).isPresent()
        ? "image " + node.image() + " -> " + image.get()
        : "pod settings changed";
  }

  private static String freely(FleetNode node, boolean given) {
    if (given || node.isReady()) {
      return "";
    }
    return node.neverReady() || !node.mayRun()
        ? "; seid does not serve there, so it does not wait for others"
        : "; not Ready, so it goes before nodes that are";
  }

  /** A node that has the template, and whose pod has it too. */
  private static ExplainedNode there(SeiNode child, FleetNode node) {
    if (node.stall() != null) {
      return wait(node, "is stalled on the template: " + stall(node));
    }
    return FleetNode.says(child, NodeConditionType.RESTART_PENDING)
        .filter(Condition::isTrue)
        .map(pending -> wait(node, pending.message() + "; waits for sei.io/restart-requested-at"))
        .orElseGet(() -> none(node, "runs the template"));
  }

  private String waitsFor() {
    if (forecast.stalled().isPresent()) {
      FleetNode stalled = forecast.stalled().get();
      return "waits for "
          + stalled.name()
          + ", which is stalled on the template: "
          + stall(stalled);
    }
    return "maxUnavailable %d is used up by unready nodes: %s"
        .formatted(
            view.limits().maxUnavailable(),
            forecast.blocking().stream().map(FleetNode::name).collect(Collectors.joining(", ")));
  }

  private static String stall(FleetNode node) {
    return node.stall() + ": " + node.stallMessage();
  }

  private static ExplainedNode none(FleetNode node, String reason) {
    return new ExplainedNode(node.name(), Action.NONE, null, reason);
  }

  private static ExplainedNode wait(FleetNode node, String reason) {
    return new ExplainedNode(node.name(), Action.WAIT, null, reason);
  }
}
