package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** A seed node: tells peers of each other. It has no blocks and serves no RPC. */
public record Seed(
    @JsonPropertyDescription(
            "The P2P identity, by which others name the seed; one on the volume if unset.")
        Validator.NodeKey nodeKey) {}
