package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Public endpoints of a deployment; presence switches a kind on. */
public record Networking(
    @JsonPropertyDescription("Publish RPC, REST and gRPC, as far as seid serves them.") Http http,
    @JsonPropertyDescription("Publish P2P.") Tcp tcp) {

  /** HTTP routes. */
  public record Http() {}

  /** P2P endpoints. */
  public record Tcp() {}
}
