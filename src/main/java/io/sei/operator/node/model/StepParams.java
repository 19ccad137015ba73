package io.sei.operator.node.model;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Parameters of the operator's own tasks, as they stand in persisted plans. */
public final class StepParams {

  private StepParams() {}

  /** Of a task that is about a node. */
  public static ObjectNode of(NodeSnapshot snapshot) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("nodeName", snapshot.node().getMetadata().getName())
        .put("namespace", snapshot.node().getMetadata().getNamespace());
  }

  /** Of a task that is about what the node is to run. */
  public static ObjectNode ofTarget(NodeSnapshot snapshot) {
    return of(snapshot).put("specHash", snapshot.specHash());
  }
}
