package io.sei.operator.chain;

/**
 * State of a chain as the nodes of one namespace report it.
 *
 * @param namespace the nodes'
 * @param chainId the chain's
 */
public record ChainReport(String namespace, String chainId, ChainState known) {}
