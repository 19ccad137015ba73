package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** URLs of a node inside the cluster, as the Go operator reports them. */
public record NodeEndpoint(
    @JsonPropertyDescription("EVM JSON-RPC.") String evmJsonRpc,
    @JsonPropertyDescription("EVM WebSocket.") String evmWs,
    @JsonPropertyDescription("CometBFT RPC.") String tendermintRpc,
    @JsonPropertyDescription("Cosmos REST.") String tendermintRest) {}
