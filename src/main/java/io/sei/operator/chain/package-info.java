/**
 * Client of the RPC of a node, and what its answers mean for a node and its chain: height, progress
 * of syncing, planned upgrade, transactions. Answers are untrusted and read token by token. Also
 * what is known of the releases of seid.
 *
 * <p>Uses {@code base}, {@code config}, {@code kube}.
 *
 * <p>Begin with {@link SyncClient} and {@link ChainClient}, then {@link ChainState}; and with
 * {@link Releases}.
 */
package io.sei.operator.chain;
