package io.sei.operator.sidecar;

/** Health of a sidecar as its last answer reports it, or why there is none. */
public enum SidecarHealth {
  /** The sidecar has received mark-ready since it started. */
  READY,
  /** The sidecar runs and waits for mark-ready, which it forgets at every start. */
  NOT_READY,
  /** The sidecar gives no answer, or one that no sidecar gives. */
  UNREACHABLE,
  /** Something in front of it demands a token, which probes do not carry. */
  FORBIDDEN,
  /** No request was sent, since the present pods are unknown. */
  UNKNOWN
}
