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

  private final FleetView snapshot;
  private final RolloutForecast forecast;

  private RolloutExplanation(FleetView snapshot) {
    this.snapshot = snapshot;
    Rollout rollout =
        RolloutPlanner.wanted(snapshot)
            .orElseGet(() -> new Rollout(snapshot.target(), snapshot.now(), List.of()));
    this.forecast =
        RolloutForecast.of(rollout, snapshot.fleet(), snapshot.limits(), snapshot.now());
  }

  /** Returns the explanation for the status; null without a request. */
  public static Explanation of(FleetView snapshot) {
    Long generation = snapshot.deployment().getMetadata().getGeneration();
    return Explanation.renewed(
        snapshot.stored().explain(),
        Annotations.explainRequest(snapshot.deployment()),
        generation,
        request -> {
          List<ExplainedNode> nodes = new RolloutExplanation(released(snapshot)).nodes();
          String summary = summary(snapshot, nodes);
          return new Explanation(request, generation, snapshot.now(), summary, nodes);
        });
  }

  /** The deployment as it is once the nodes that its own pause stopped are released. */
  private static FleetView released(FleetView snapshot) {
    if (!snapshot.isPaused()) {
      return snapshot;
    }
    Boolean paused = snapshot.template().spec().paused();
    return snapshot.withChildren(
        snapshot.children().stream()
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

  private static String summary(FleetView snapshot, List<ExplainedNode> nodes) {
    String paused =
        snapshot.isPaused()
            ? "once spec.paused is cleared: "
            : snapshot.pausesRollouts() ? "once spec.updateStrategy.paused is cleared: " : "";
    String rolledBack =
        snapshot.target().equals(snapshot.templateHash())
            ? ""
            : "; "
                + snapshot.describe(snapshot.templateHash())
                + " was rolled back and is not retried";
    long restarts = count(nodes, Action.RESTART);
    long waits = count(nodes, Action.WAIT);
    int waves =
        nodes.stream()
            .filter(it -> it.wave() != null)
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
                    snapshot.limits().maxUnavailable());
    return paused + order + (waits == 0 ? "" : ", " + waits + " wait") + rolledBack;
  }

  private static long count(List<ExplainedNode> nodes, Action action) {
    return nodes.stream().filter(node -> node.action() == action).count();
  }

  private List<ExplainedNode> nodes() {
    return snapshot.fleet().stream().map(view -> explain(snapshot.child(view), view)).toList();
  }

  private ExplainedNode explain(SeiNode node, FleetNode view) {
    boolean given = view.isOn(snapshot.target());
    Integer wave = forecast.waves().get(view.name());
    if (view.terminating()) {
      return none(view, "is being deleted");
    }
    if (view.absence().isPresent()) {
      String cause = view.absence().get().cause();
      return given ? none(view, cause) : wait(view, cause + "; restarts once that is cleared");
    }
    if (view.atRisk() && !view.runs(snapshot.target())) {
      return wait(view, "its data would be lost; see its condition DataVolumeAtRisk");
    }
    if (view.phase() != NodePhase.RUNNING && given) {
      return none(view, "has not run yet and starts with this template");
    }
    if (wave != null && !(given && isKnownToRun(node))) {
      return new ExplainedNode(view.name(), Action.RESTART, wave, why(view, given));
    }
    if (!given && view.ordinal() < snapshot.limits().partition()) {
      return none(
          view,
          "is below partition %d and keeps %s"
              .formatted(snapshot.limits().partition(), snapshot.describe(view.templateHash())));
    }
    return given ? there(node, view) : wait(view, waitsFor());
  }

  /**
   * Returns whether a node that has the template also runs it, although its status may not have
   * caught up with its newest generation: not every change of a spec restarts the pod.
   */
  private boolean isKnownToRun(SeiNode node) {
    TaskPlan plan = node.getStatus().plan();
    boolean atWork = plan != null && plan.isActive() && !isOfTarget(plan);
    return !atWork
        && snapshot.target().equals(TemplateHash.ofSpecHash(node.getStatus().baseHash()));
  }

  private boolean isOfTarget(TaskPlan plan) {
    return plan.target() != null
        && snapshot.target().equals(TemplateHash.ofSpecHash(plan.target().specHash()));
  }

  private String why(FleetNode view, boolean given) {
    return (given ? "admitted: " : "") + difference(view) + freely(view, given);
  }

  private String difference(FleetNode view) {
    Optional<String> image =
        snapshot.template(snapshot.target()).map(template -> template.spec().image());
    return image.filter(it -> !it.equals(view.image())).isPresent()
        ? "image " + view.image() + " -> " + image.get()
        : "pod settings changed";
  }

  private static String freely(FleetNode view, boolean given) {
    if (given || view.isReady()) {
      return "";
    }
    return view.neverReady() || !view.mayRun()
        ? "; seid does not serve there, so it does not wait for others"
        : "; not Ready, so it goes before nodes that are";
  }

  /** A node that has the template, and whose pod has it too. */
  private static ExplainedNode there(SeiNode node, FleetNode view) {
    if (view.stall() != null) {
      return wait(view, "is stalled on the template: " + stall(view));
    }
    return FleetNode.says(node, NodeConditionType.RESTART_PENDING)
        .filter(Condition::isTrue)
        .map(pending -> wait(view, pending.message() + "; waits for sei.io/restart-requested-at"))
        .orElseGet(() -> none(view, "runs the template"));
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
            snapshot.limits().maxUnavailable(),
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
