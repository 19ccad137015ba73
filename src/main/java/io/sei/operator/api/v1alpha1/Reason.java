package io.sei.operator.api.v1alpha1;

/** Why a condition says what it says, in one word that alerts and scripts can rely on. */
public sealed interface Reason
    permits NodeReason, StallReason, FleetReason, NodeTaskReason, TaskReason, Reason.Stored {

  /** The reason as it stands in status. */
  @Override
  String toString();

  /** Returns whether a stored reason is this one; null is none. */
  default boolean is(String stored) {
    return toString().equals(stored);
  }

  /** Returns whether another reason, which may be a stored one, is this one. */
  default boolean is(Reason other) {
    return is(other.toString());
  }

  /**
   * A reason as any build may have stored it, also one that this build does not know. It never
   * equals a constant: ask the constant with {@link #is}.
   *
   * @param value null, which only a hostile status has, is taken for {@code Unknown}
   */
  record Stored(String value) implements Reason {

    public Stored {
      value = value == null ? "Unknown" : value;
    }

    @Override
    public String toString() {
      return value;
    }
  }
}
