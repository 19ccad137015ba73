package io.sei.operator.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.TaskSpec;
import java.util.List;

/** What the plans of a node consist of. */
final class NodePlans {

  /** The Go operator's budget for a failing sidecar task is 0; a passing hiccup deserves better. */
  private static final int MARK_READY_RETRIES = 5;

  private NodePlans() {}

  /** The plan of a kind for a node as it was observed. */
  static PlanSpec of(PlanKind kind, NodeSnapshot snapshot) {
    return switch (kind) {
      case INIT ->
          new PlanSpec(
              kind,
              target(snapshot),
              KeyTasks.in(init(snapshot), snapshot),
              NodePhase.RUNNING,
              NodePhase.FAILED);
      case UPDATE ->
          new PlanSpec(
              kind,
              target(snapshot),
              KeyTasks.in(update(snapshot), snapshot),
              NodePhase.RUNNING,
              null);
      case MARK_READY ->
          new PlanSpec(kind, target(snapshot), List.of(markReady()), NodePhase.RUNNING, null);
      case ROLLOUT -> throw new IllegalArgumentException("a rollout is a deployment's plan");
    };
  }

  private static PlanTarget target(NodeSnapshot snapshot) {
    SeiNode node = snapshot.node();
    return new PlanTarget(
        node.getMetadata().getGeneration(),
        snapshot.specHash(),
        node.getSpec().image(),
        snapshot.sidecarImage(),
        snapshot.trackedUid().orElse(null),
        snapshot.retryRequest().orElse(null));
  }

  private static List<TaskSpec> init(NodeSnapshot snapshot) {
    ObjectNode object = object(snapshot);
    ObjectNode target = ofTarget(snapshot);
    return List.of(
        new TaskSpec(TaskTypes.ENSURE_DATA_PVC, object, 0, true),
        new TaskSpec(TaskTypes.APPLY_RBAC_PROXY_CONFIG, object, 0, true),
        new TaskSpec(TaskTypes.APPLY_STATEFUL_SET, target, 0, false),
        new TaskSpec(TaskTypes.APPLY_SERVICE, object, 0, true),
        new TaskSpec(TaskTypes.REPLACE_POD, target, 0, false),
        new TaskSpec(TaskTypes.OBSERVE_IMAGE, target, 0, false),
        markReady());
  }

  private static List<TaskSpec> update(NodeSnapshot snapshot) {
    ObjectNode object = object(snapshot);
    ObjectNode target = ofTarget(snapshot);
    return List.of(
        new TaskSpec(TaskTypes.APPLY_STATEFUL_SET, target, 0, false),
        new TaskSpec(TaskTypes.APPLY_SERVICE, object, 0, true),
        new TaskSpec(TaskTypes.REPLACE_POD, target, 0, false),
        new TaskSpec(TaskTypes.OBSERVE_IMAGE, target, 0, false),
        markReady());
  }

  private static TaskSpec markReady() {
    return new TaskSpec(TaskTypes.MARK_READY, null, MARK_READY_RETRIES, false);
  }

  private static ObjectNode object(NodeSnapshot snapshot) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("nodeName", snapshot.node().getMetadata().getName())
        .put("namespace", snapshot.node().getMetadata().getNamespace());
  }

  private static ObjectNode ofTarget(NodeSnapshot snapshot) {
    return object(snapshot).put("specHash", snapshot.specHash());
  }
}
