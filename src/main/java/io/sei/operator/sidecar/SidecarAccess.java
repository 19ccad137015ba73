package io.sei.operator.sidecar;

import java.util.Optional;

/**
 * Judges requests to sidecars right before they are sent. A pod's address is used again by other
 * pods, and the caller may have learnt it some time ago.
 */
public interface SidecarAccess {

  /**
   * Returns the bearer token that the sidecar's proxy accepts; empty where the operator has no
   * account for sidecars. May ask the API server, so it may take seconds.
   *
   * @throws SidecarException of kind WITHHELD or BLIND if nothing may be sent to this address; of
   *     kind FORBIDDEN if the API server refuses the token
   */
  Optional<String> token(SidecarAddress sidecar);

  /** Notes that a proxy rejected a token (401). */
  void rejected(String token);

  /**
   * Checks a request that carries no token. Never waits.
   *
   * @throws SidecarException of kind WITHHELD or BLIND, as above
   */
  void check(SidecarAddress sidecar);
}
