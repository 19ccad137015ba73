package io.sei.operator.chain;

import java.util.concurrent.CompletableFuture;

/** Asks nodes for their chain. */
@FunctionalInterface
public interface ChainClient {

  /**
   * Asks a node; never waits. The answer is there within 2 s, or the future ends with an {@link
   * UnusableAnswer}, also if the node is on another chain.
   *
   * @param chainId the chain that the node has to be on
   */
  CompletableFuture<ChainAnswer> ask(NodeRpc node, String chainId);
}
