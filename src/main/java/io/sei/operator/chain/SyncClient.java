package io.sei.operator.chain;

import java.util.concurrent.CompletableFuture;

/** Asks nodes how far they are, also those that catch up. */
@FunctionalInterface
public interface SyncClient {

  /**
   * Asks a node; never waits. The answer is there within {@link ChainClient#LIMIT}, or the future
   * ends with an {@link UnusableAnswer}, also if the node is on another chain.
   *
   * @param chainId the chain that the node has to be on
   */
  CompletableFuture<SyncState> askSync(NodeRpc node, String chainId);
}
