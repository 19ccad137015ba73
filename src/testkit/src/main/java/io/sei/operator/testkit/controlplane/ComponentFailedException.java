package io.sei.operator.testkit.controlplane;

/** A component of the control plane did not come up or did not stay up. */
public final class ComponentFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ComponentFailedException(String message) {
    super(message);
  }

  ComponentFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
