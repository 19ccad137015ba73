package io.sei.operator.api.v1alpha1;

/** Public endpoints of a deployment; presence switches a kind on. */
public record Networking(Http http, Tcp tcp) {

  /** HTTP routes. */
  public record Http() {}

  /** P2P endpoints. */
  public record Tcp() {}
}
