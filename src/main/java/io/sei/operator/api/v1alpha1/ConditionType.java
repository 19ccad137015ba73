package io.sei.operator.api.v1alpha1;

/** The type of a condition. Once set, a condition is never removed. */
public sealed interface ConditionType
    permits NodeConditionType, FleetConditionType, NodeTaskConditionType {

  /** Returns whether that is what a stored type says. */
  default boolean is(String stored) {
    return toString().equals(stored);
  }
}
