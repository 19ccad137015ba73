package io.sei.operator.chain;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Asks nodes for their chain. */
public interface ChainClient {

  /** A healthy node answers in milliseconds. */
  Duration LIMIT = Duration.ofSeconds(2);

  /**
   * Asks a node; never waits. The answer is there within {@link #LIMIT}, or the future ends with an
   * {@link UnusableAnswer}, also if the node is on another chain.
   *
   * @param chainId the chain that the node has to be on
   */
  CompletableFuture<ChainAnswer> ask(NodeRpc node, String chainId);

  /**
   * Asks a node for the shorter of the chain's voting periods, the usual and the expedited one;
   * never waits. The future ends within {@link #LIMIT}, with an {@link UnusableAnswer} if the node
   * does not know it.
   */
  CompletableFuture<Duration> votingPeriod(NodeRpc node);
}
