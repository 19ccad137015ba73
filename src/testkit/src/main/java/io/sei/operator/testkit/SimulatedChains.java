package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A chain whose blocks are always the same. A witness answers unless its host was made silent;
 * every transaction is included, and succeeds.
 *
 * @param broadcast hears of each transaction
 */
record SimulatedChains(Predicate<String> silentHost, Consumer<SidecarTask> broadcast)
    implements SidecarChains {

  private static final long LATEST_HEIGHT = 10_000;

  @Override
  public OptionalLong latest(String witness) {
    return isSilent(witness) ? OptionalLong.empty() : OptionalLong.of(LATEST_HEIGHT);
  }

  @Override
  public Optional<String> hash(String witness, long height) {
    return isSilent(witness) ? Optional.empty() : Optional.of(Digests.sha256("block " + height));
  }

  /** A witness without a port, or with a scheme before it, cannot be reached. */
  private boolean isSilent(String witness) {
    return !witness.matches("[^/:]+:\\d+") || silentHost.test(witness.replaceFirst(":\\d+$", ""));
  }

  /**
   * Includes a transaction, with the names and messages of v0.0.70 and of the Go operator's tree.
   */
  @Override
  public JsonNode include(SidecarTask transaction) {
    broadcast.accept(transaction);
    return JsonNodeFactory.instance
        .objectNode()
        .put("txHash", Digests.sha256(transaction.id()))
        .put("height", 7)
        .put("proposalId", SidecarResult.isProposal(transaction) ? 3 : 0)
        .put("code", 0)
        .put("codespace", "")
        .put("rawLog", "")
        .put("inclusionStatus", "committed_ok");
  }
}
