package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Set;

/** What a completed task shows of its work. */
final class SidecarResult {

  /** Sign a transaction; read in the source of v0.0.70 and of the Go operator's tree. */
  private static final Set<String> TRANSACTIONS =
      Set.of(
          "gov-vote",
          "gov-software-upgrade",
          "gov-param-change",
          "gov-update-instantiate-config",
          "unjail");

  private SidecarResult() {}

  /** Null if it shows none; that of reset-data is not modelled. */
  static JsonNode of(SidecarVersion version, SidecarTask task, SidecarChains chains) {
    if (TRANSACTIONS.contains(task.type())) {
      return version.showsInclusion() ? chains.include(task) : null;
    }
    return version.showsResults() && "reset-data".equals(task.type())
        ? JsonNodeFactory.instance.objectNode()
        : null;
  }
}
