package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** An upgrade that a fleet's template lists. */
public record FleetUpgrade(
    String name,
    Long height,
    String image,
    @JsonPropertyDescription("Nodes that have reached it, of replicas, such as 3/5.")
        String reached,
    @JsonPropertyDescription(
            "Passed if a node is past the height and the chain has no such plan; else unset.")
        UpgradeState state) {}
