package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/** What a completed task shows of its work. Every transaction is included, and succeeds. */
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
  static JsonNode of(SidecarVersion version, SidecarTask task) {
    if (TRANSACTIONS.contains(task.type())) {
      return version.showsInclusion() ? included(task) : null;
    }
    return version.showsResults() && "reset-data".equals(task.type())
        ? JsonNodeFactory.instance.objectNode()
        : null;
  }

  /** With the names and the words of v0.0.70 and of the Go operator's tree. */
  private static ObjectNode included(SidecarTask task) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("txHash", Digests.sha256(task.id()))
        .put("height", 7)
        .put("proposalId", task.type().startsWith("gov-") && !task.type().endsWith("vote") ? 3 : 0)
        .put("code", 0)
        .put("codespace", "")
        .put("rawLog", "")
        .put("inclusionStatus", "committed_ok");
  }
}
