package io.sei.operator.node.feature;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Parameters of the operator's own tasks, as they stand in persisted plans. */
public final class StepParams {

  private StepParams() {}

  /** Of a task that is about a node. */
  public static ObjectNode of(NodeView view) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("nodeName", view.node().getMetadata().getName())
        .put("namespace", view.node().getMetadata().getNamespace());
  }

  /** Of a task that is about what the node is to run. */
  public static ObjectNode ofTarget(NodeView view) {
    return of(view).put("specHash", view.specHash());
  }
}
