package io.sei.operator.disruption;

/** State of one node of a fleet, for its disruption budget. */
public enum NodeState {
  /** It serves. */
  READY,

  /** It was taken down, or is about to be, and is not done yet. */
  IN_FLIGHT,

  /** It does not serve, or is stopped for a snapshot. */
  DOWN,

  /** It has not been Ready since its volume was created. */
  NEVER_READY,

  /** It is being deleted. */
  TERMINATING,

  /** The user keeps it out of service: it is paused or held. */
  SUSPENDED;

  /** Whether a node in this state uses none of the budget of a disruption, and is not available. */
  boolean isExemptFrom(Disruption disruption) {
    return switch (this) {
      case SUSPENDED -> true;
      case NEVER_READY, TERMINATING -> disruption.isRequired();
      case READY, IN_FLIGHT, DOWN -> false;
    };
  }
}
