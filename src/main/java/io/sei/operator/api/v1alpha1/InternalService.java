package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;

/** The ClusterIP Service in front of a fleet's Ready nodes, as the Go operator reports it. */
public record InternalService(
    @Required @JsonPropertyDescription("NAME-internal.") String name,
    @Required @JsonPropertyDescription("The deployment's namespace.") String namespace,
    @Required @JsonPropertyDescription("Its ports.") Ports ports) {

  /** Ports of protocols that may go to another node with each request. */
  public record Ports(
      @Required @JsonPropertyDescription("CometBFT RPC.") Integer rpc,
      @Required @JsonPropertyDescription("EVM JSON-RPC.") Integer evmHttp,
      @Required @JsonPropertyDescription("Cosmos REST.") Integer rest) {}
}
