package io.sei.operator.api.v1alpha1;

/** A full node: follows the chain and serves RPC. */
public record FullNode(Snapshot snapshot, SnapshotGeneration snapshotGeneration) {}
