package io.sei.operator.sidecar;

/**
 * Judges requests to sidecars right before they are sent. A pod's address is used again by other
 * pods, and who asks may have learnt it some time ago.
 */
public interface SidecarAccess {

  /**
   * The token that a sidecar's proxy takes. May read from the API server, so it may take seconds.
   *
   * @throws SidecarException of kind WITHHELD or BLIND, if nothing may be sent to this address
   */
  Audience audience(SidecarAddress sidecar);

  /**
   * Checks a request that carries no token. Never waits.
   *
   * @throws SidecarException as above
   */
  void check(SidecarAddress sidecar);
}
