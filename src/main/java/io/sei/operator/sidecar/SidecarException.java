package io.sei.operator.sidecar;

import java.net.http.HttpTimeoutException;
import java.util.concurrent.TimeoutException;

/** A request to a sidecar that got no usable answer. */
public final class SidecarException extends RuntimeException {

  /** Remedy of the caller. */
  public enum Kind {
    /** No connection, no answer in time, or an answer that no sidecar gives: retry later. */
    UNREACHABLE,
    /** No request was sent, since another program may answer at the pod's address. */
    WITHHELD,
    /** No request was sent, since the present pods are unknown. */
    BLIND,
    /** 401 or 403: an administrator has to grant the operator access. */
    FORBIDDEN,
    /** Its store is locked: try again in a moment. */
    BUSY,
    /** The sidecar is too old or too new for this type of task: a retry is useless. */
    UNSUPPORTED,
    /** The sidecar refuses this very request: repeating it is of no use. */
    REJECTED
  }

  private final Kind kind;
  private final boolean isRepeated;

  SidecarException(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, false);
  }

  private SidecarException(Kind kind, String message, Throwable cause, boolean isRepeated) {
    super(message, cause);
    this.kind = kind;
    this.isRepeated = isRepeated;
  }

  /** One without a cause. */
  public SidecarException(Kind kind, String message) {
    this(kind, message, null);
  }

  /** Returns the remedy of the caller. */
  public Kind kind() {
    return kind;
  }

  /** Returns whether the sidecar did not answer in time. */
  boolean isTimeout() {
    return getCause() instanceof TimeoutException || getCause() instanceof HttpTimeoutException;
  }

  /** Returns this error for a request that is repeated until the sidecar answers it. */
  SidecarException repeated() {
    return new SidecarException(kind, getMessage(), getCause(), true);
  }

  /** Returns whether the request is repeated in the background; its answer triggers a reconcile. */
  public boolean isRepeated() {
    return isRepeated;
  }
}
