package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Kind of a SeiNodeTask: every kind of the Go operator. */
public enum NodeTaskKind {
  GOV_SOFTWARE_UPGRADE("GovSoftwareUpgrade"),
  GOV_VOTE("GovVote"),
  GOV_PARAM_CHANGE("GovParamChange"),
  GOV_UPDATE_INSTANTIATE_CONFIG("GovUpdateInstantiateConfig"),
  UNJAIL("Unjail"),
  AWAIT_CONDITION("AwaitCondition"),
  AWAIT_NODES_AT_HEIGHT("AwaitNodesAtHeight"),
  UPDATE_NODE_IMAGE("UpdateNodeImage"),
  RESTART_SEID("RestartSeid"),
  MARK_READY("MarkReady");

  private final String value;

  NodeTaskKind(String value) {
    this.value = value;
  }

  /** The kind as it stands in spec. */
  @JsonValue
  @Override
  public String toString() {
    return value;
  }

  /** The field of the spec that a task of this kind has its parameters in. */
  public String field() {
    return value.substring(0, 1).toLowerCase(Locale.ROOT) + value.substring(1);
  }

  /** Returns whether it signs a transaction and sends it to the chain. */
  public boolean isTransaction() {
    return switch (this) {
      case GOV_SOFTWARE_UPGRADE,
          GOV_VOTE,
          GOV_PARAM_CHANGE,
          GOV_UPDATE_INSTANTIATE_CONFIG,
          UNJAIL ->
          true;
      case AWAIT_CONDITION, AWAIT_NODES_AT_HEIGHT, UPDATE_NODE_IMAGE, RESTART_SEID, MARK_READY ->
          false;
    };
  }

  /** Returns whether the node's sidecar carries it out, and not the node by a plan of its own. */
  public boolean isOfSidecar() {
    return switch (this) {
      case UPDATE_NODE_IMAGE, RESTART_SEID, MARK_READY -> false;
      case GOV_SOFTWARE_UPGRADE,
          GOV_VOTE,
          GOV_PARAM_CHANGE,
          GOV_UPDATE_INSTANTIATE_CONFIG,
          UNJAIL,
          AWAIT_CONDITION,
          AWAIT_NODES_AT_HEIGHT ->
          true;
    };
  }
}
