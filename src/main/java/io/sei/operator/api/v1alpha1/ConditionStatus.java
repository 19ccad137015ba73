package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonValue;

/** Whether a condition holds. */
public enum ConditionStatus {
  TRUE("True"),
  FALSE("False"),
  UNKNOWN("Unknown");

  private final String value;

  ConditionStatus(String value) {
    this.value = value;
  }

  /** The status as {@code metav1.Condition} spells it. */
  @JsonValue
  @Override
  public String toString() {
    return value;
  }

  /** True or False. */
  public static ConditionStatus of(boolean holds) {
    return holds ? TRUE : FALSE;
  }
}
