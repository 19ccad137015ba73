package io.sei.operator.chain;

/**
 * How far one node is by its own last answer.
 *
 * @param namespace of the SeiNode
 * @param name of the SeiNode
 */
public record SyncReport(String namespace, String name, SyncState state) {}
