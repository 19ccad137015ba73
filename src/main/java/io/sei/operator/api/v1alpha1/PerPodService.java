package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;

/** The headless Service of one node of a fleet, as the Go operator reports it. */
public record PerPodService(
    @Required @JsonPropertyDescription("Name of the node and of its Service.") String name,
    @Required @JsonPropertyDescription("The deployment's namespace.") String namespace,
    @Required @JsonPropertyDescription("Its EVM ports.") Ports ports) {

  /** Ports of protocols that must stay with one node. */
  public record Ports(
      @Required @JsonPropertyDescription("EVM JSON-RPC.") Integer evmHttp,
      @Required @JsonPropertyDescription("EVM WebSocket.") Integer evmWs) {}
}
