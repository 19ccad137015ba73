package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Instant;

/** Stop of a node for a snapshot of its volume. */
public record NodeStop(
    @JsonPropertyDescription("Name of the VolumeSnapshot.") String snapshot,
    @JsonPropertyDescription("Time at which the operator starts the node again at the latest.")
        Instant until,
    @JsonPropertyDescription("The latest block that the node reported; unset if it never answered.")
        Long height) {}
