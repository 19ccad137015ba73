package io.sei.operator.sidecar;

/** Whom a token of the operator is good for. */
public enum Audience {
  /** The API server, and with it every proxy that is started without an audience. */
  API_SERVER,
  /** Proxies in front of sidecars, and nobody else. */
  SIDECAR
}
