package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** A full node: follows the chain and serves RPC. */
public record FullNode(
    @JsonPropertyDescription("Where the state of a new node comes from; genesis if unset.")
        Snapshot snapshot,
    @JsonPropertyDescription("Snapshots to make for others.")
        SnapshotGeneration snapshotGeneration) {}
