package io.sei.operator.api.v1alpha1;

/** Why a condition says what it says, in one word that alerts and scripts can rely on. */
public sealed interface Reason
    permits NodeReason, StallReason, FleetReason, NodeTaskReason, Reason.Stored {

  /** The reason as it stands in status. */
  @Override
  String toString();

  /** Whether that is what a stored reason says; null says nothing. */
  default boolean is(String stored) {
    return toString().equals(stored);
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
