package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.render.Labels;
import java.util.Objects;
import java.util.Optional;

/** One line about a node's status. */
final class NodeLine {

  private static final String COLUMNS = "%-16s %-20s %-16s %-15s %s";

  static final String STALLED = "STALLED ";

  private static final int LONGEST = 60;

  private NodeLine() {}

  static String header() {
    return COLUMNS.formatted("NODE", "READY", "IMAGE", "UP TO DATE", "PLAN, OR STALLED");
  }

  static String of(SeiNode node) {
    SeiNodeStatus status = node.getStatus() == null ? SeiNodeStatus.empty() : node.getStatus();
    return COLUMNS
        .formatted(
            node.getMetadata().getName(),
            condition(node, status, NodeConditionType.READY),
            image(node, status),
            condition(node, status, NodeConditionType.UP_TO_DATE),
            isOfFleet(node) ? "" : remark(status))
        .stripTrailing();
  }

  /** Nodes of a fleet are distinguished by image and readiness; three plans at once are noise. */
  private static boolean isOfFleet(SeiNode node) {
    return node.getMetadata().getLabels() != null
        && node.getMetadata().getLabels().containsKey(Labels.NODE_DEPLOYMENT);
  }

  private static String image(SeiNode node, SeiNodeStatus status) {
    String declared = node.getSpec().image();
    String wanted = tag(isSuperseded(declared, status) ? target(status) : declared);
    String current = tag(status.currentImage());
    return Objects.equals(wanted, current) ? wanted : current + " > " + wanted;
  }

  private static boolean isSuperseded(String image, SeiNodeStatus status) {
    return status.upgrades() != null
        && status.upgrades().stream().anyMatch(upgrade -> image.equals(upgrade.supersededImage()));
  }

  private static String target(SeiNodeStatus status) {
    return status.plan() == null ? status.currentImage() : status.plan().target().image();
  }

  private static String tag(String image) {
    if (image == null) {
      return "-";
    }
    String tagged = image.split("@")[0];
    return tagged.substring(tagged.lastIndexOf(':') + 1);
  }

  /** Returns a condition; one of an older spec is left out, as in kubectl wait. */
  private static String condition(SeiNode node, SeiNodeStatus status, NodeConditionType type) {
    return status
        .condition(type)
        .filter(
            condition -> node.getMetadata().getGeneration().equals(condition.observedGeneration()))
        .map(condition -> condition.isTrue() ? "yes" : "no: " + condition.reason())
        .orElse("...");
  }

  private static String remark(SeiNodeStatus status) {
    Optional<Condition> stalled =
        status.condition(NodeConditionType.STALLED).filter(Condition::isTrue);
    if (stalled.isPresent()) {
      return shortened(STALLED + stalled.get().reason() + ": " + stalled.get().message());
    }
    boolean paused = status.isTrue(NodeConditionType.PAUSED);
    return paused ? "paused" : plan(status.plan());
  }

  static String shortened(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }

  private static String plan(TaskPlan plan) {
    if (plan == null) {
      return "";
    }
    if (!plan.isActive()) {
      return plan.kind() + " plan " + plan.phase();
    }
    return plan.currentTask()
        .map(task -> step(plan, task))
        .orElse(plan.kind() + " plan at its end");
  }

  private static String step(TaskPlan plan, PlannedTask task) {
    String waits = task.reason() == null ? "" : ", waits: " + task.reason();
    return "%s %d/%d %s%s"
        .formatted(
            plan.kind(), plan.tasks().indexOf(task) + 1, plan.tasks().size(), task.type(), waits);
  }
}
