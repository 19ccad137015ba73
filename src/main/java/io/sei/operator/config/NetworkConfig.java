package io.sei.operator.config;

import java.util.Optional;

/**
 * Settings for exposing fleets: they are checked, and have no effect yet.
 *
 * @param gatewayName Gateway that routes attach to
 * @param gatewayNamespace its namespace
 * @param gatewayDomain domain of the routes' host names
 * @param gatewayPublicDomain a second, public domain for them
 * @param p2pEndpointDomain domain of public p2p endpoints
 * @param nlbTargetType how a load balancer reaches p2p ports
 */
public record NetworkConfig(
    Optional<String> gatewayName,
    Optional<String> gatewayNamespace,
    Optional<String> gatewayDomain,
    Optional<String> gatewayPublicDomain,
    Optional<String> p2pEndpointDomain,
    Optional<NlbTargetType> nlbTargetType) {

  /** What a network load balancer sends traffic to: pods or machines. */
  public enum NlbTargetType {
    IP,
    INSTANCE
  }
}
