package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Outcome of a transaction, as the sidecar reports it. */
public record NodeTaskTransaction(
    @JsonPropertyDescription("Its hash, by which any node of the chain finds it.") String txHash,
    @JsonPropertyDescription("The height that it was included at.") Long height,
    @JsonPropertyDescription("The proposal that it made; unset for others.") Long proposalId) {}
