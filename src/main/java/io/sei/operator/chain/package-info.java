/**
 * Client of the RPC of a node, and what its answers mean for a node and its chain: height, progress
 * of syncing, planned upgrade, transactions. Answers are untrusted and read token by token.
 *
 * <p>Uses {@code base}, {@code config}.
 *
 * <p>Begin with {@link SyncClient} and {@link ChainClient}, then {@link ChainState}.
 */
package io.sei.operator.chain;
