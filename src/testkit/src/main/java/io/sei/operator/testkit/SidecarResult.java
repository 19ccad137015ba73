package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Set;

/** Result of a completed task. */
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

  static boolean isTransaction(SidecarTask task) {
    return TRANSACTIONS.contains(task.type());
  }

  static boolean isProposal(SidecarTask task) {
    return isTransaction(task) && task.type().startsWith("gov-") && !task.type().endsWith("-vote");
  }

  /**
   * The end of a task whose transaction a seid without an index cannot find, whatever has become of
   * it, in the words of v0.0.70.
   *
   * @param included what it has come to; null in versions that show none
   */
  static SidecarTask unverifiable(SidecarTask task, JsonNode included, String at) {
    String words =
        "tx %s inclusion unverifiable: node transaction indexing is disabled (no kvEventSink): the"
            + " tx may already be on chain — verify via an indexed RPC before re-running, or enable"
            + " tx_index on the target node";
    if (included == null) {
      return task.fail(words.formatted(""), at);
    }
    String txHash = included.path("txHash").asText();
    return task.fail(
        words.formatted(txHash),
        at,
        JsonNodeFactory.instance
            .objectNode()
            .put("txHash", txHash)
            .put("height", 0)
            .put("proposalId", 0)
            .put("code", 0)
            .put("codespace", "")
            .put("rawLog", "")
            .put("inclusionStatus", "unverifiable"));
  }

  /** Null if it shows none; that of reset-data is not modelled. */
  static JsonNode of(SidecarVersion version, SidecarTask task, SidecarChains chains) {
    if (isTransaction(task)) {
      return version.showsInclusion() ? chains.include(task) : null;
    }
    return version.showsResults() && "reset-data".equals(task.type())
        ? JsonNodeFactory.instance.objectNode()
        : null;
  }
}
