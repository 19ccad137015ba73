package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Results of a task, under the name of its kind. */
public record NodeTaskOutputs(
    NodeTaskTransaction govSoftwareUpgrade,
    NodeTaskTransaction govVote,
    NodeTaskTransaction govParamChange,
    NodeTaskTransaction govUpdateInstantiateConfig,
    NodeTaskTransaction unjail,
    @JsonPropertyDescription("Not set by this operator.") AwaitedCondition awaitCondition,
    @JsonPropertyDescription("Not set by this operator.") AwaitedHeight awaitNodesAtHeight,
    AppliedImage updateNodeImage) {

  /** Value of a condition when it was met. */
  public record AwaitedCondition(String observedValue) {}

  /** The height that was waited for. */
  public record AwaitedHeight(Long currentHeight) {}

  /** The image that a node was given. */
  public record AppliedImage(String appliedImage) {}

  /** Returns the outputs of a task that changed a node's image. */
  public static NodeTaskOutputs ofImage(String image) {
    return new NodeTaskOutputs(null, null, null, null, null, null, null, new AppliedImage(image));
  }

  /** Returns the outputs of a transaction of this kind; null for a kind that makes none. */
  public static NodeTaskOutputs of(NodeTaskKind kind, NodeTaskTransaction tx) {
    return switch (kind) {
      case GOV_SOFTWARE_UPGRADE ->
          new NodeTaskOutputs(tx, null, null, null, null, null, null, null);
      case GOV_VOTE -> new NodeTaskOutputs(null, tx, null, null, null, null, null, null);
      case GOV_PARAM_CHANGE -> new NodeTaskOutputs(null, null, tx, null, null, null, null, null);
      case GOV_UPDATE_INSTANTIATE_CONFIG ->
          new NodeTaskOutputs(null, null, null, tx, null, null, null, null);
      case UNJAIL -> new NodeTaskOutputs(null, null, null, null, tx, null, null, null);
      case AWAIT_CONDITION, AWAIT_NODES_AT_HEIGHT, UPDATE_NODE_IMAGE, RESTART_SEID, MARK_READY ->
          null;
    };
  }
}
