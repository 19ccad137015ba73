package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** An archive node: keeps every height. */
public record Archive(
    @JsonPropertyDescription("Snapshots to make for others.")
        SnapshotGeneration snapshotGeneration) {}
