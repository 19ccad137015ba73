package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/**
 * URLs of a fleet inside the cluster. As with the Go operator, stateless protocols have one URL for
 * all nodes; EVM filters, subscriptions and pending transactions live in one node, so each node has
 * its own.
 */
@SchemaCustomizer(value = ListTypes.class, input = "nodes=map:name")
public record Endpoints(
    @JsonPropertyDescription("CometBFT RPC of any Ready node.") String tendermintRpc,
    @JsonPropertyDescription("Cosmos REST of any Ready node.") String tendermintRest,
    @JsonPropertyDescription("URLs of single nodes, by ordinal.") List<Node> nodes) {

  /** URLs of one node of the fleet. */
  public record Node(
      @Required @Size(min = 1) @JsonPropertyDescription("Name of the node.") String name,
      @JsonPropertyDescription("EVM JSON-RPC.") String evmJsonRpc,
      @JsonPropertyDescription("EVM WebSocket.") String evmWs) {}
}
