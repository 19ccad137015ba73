package io.sei.operator.node.feature;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Parameters of the operator's own tasks, as they stand in persisted plans. */
public final class StepParams {

  private StepParams() {}

  /** Returns parameters of a task about a node. */
  public static ObjectNode of(NodeView view) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("nodeName", view.node().getMetadata().getName())
        .put("namespace", view.node().getMetadata().getNamespace());
  }

  /** Returns parameters of a task about the node's target. */
  public static ObjectNode ofTarget(NodeView view) {
    return of(view).put("specHash", view.specHash());
  }
}
