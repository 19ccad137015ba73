package io.sei.operator.sidecar;

/** Health of a sidecar as its last answer reports it, or why there is none. */
public enum SidecarHealth {
  /** It has been told mark-ready since it started. */
  READY,
  /** It runs, and waits for mark-ready: it forgets that at every start. */
  NOT_READY,
  /** No answer, or none that a sidecar gives. */
  UNREACHABLE,
  /** Something in front of it demands a token, which probes do not carry. */
  FORBIDDEN,
  /** No request was sent, since it is not known at present which pods there are. */
  UNKNOWN
}
