package io.sei.operator.chain;

/**
 * What is known of a chain by the nodes of one namespace.
 *
 * @param namespace the nodes'
 * @param chainId the chain's
 */
public record ChainReport(String namespace, String chainId, KnownChain known) {}
