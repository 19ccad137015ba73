package io.sei.operator.chain;

import java.time.Instant;

/**
 * Newest block of a node.
 *
 * @param chainId the chain that the node says it is on
 * @param height of its newest block, at least 0
 * @param time of that block
 */
public record ChainHead(String chainId, long height, Instant time) {}
