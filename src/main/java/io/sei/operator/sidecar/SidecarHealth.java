package io.sei.operator.sidecar;

/** What a sidecar says about itself, or why it says nothing. */
public enum SidecarHealth {
  /** It has been told mark-ready since it started. */
  READY,
  /** It runs, and waits for mark-ready: it forgets that at every start. */
  NOT_READY,
  /** No answer, or none that a sidecar gives. */
  UNREACHABLE,
  /** Something in front of it demands a token, which probes do not carry. */
  FORBIDDEN,
  /** Nobody was asked, for it is not known at present which pods there are. */
  UNKNOWN
}
