package io.sei.operator.api.v1alpha1;

/** Conditions of a SeiNodeTask. Once set, a condition is never removed. */
public enum NodeTaskConditionType implements ConditionType {
  /** The task is complete. Set at its end, and final. */
  READY("Ready"),
  /** True is bad: the task has failed, and is not tried again. Set at its end, and final. */
  FAILED("Failed"),
  /** The node is in the phase that the task asks for, and its sidecar can be asked. */
  TARGET_READY("TargetReady"),
  /** True is bad: the task has failed, or cannot be read (InvalidSpec); kstatus reads it. */
  STALLED("Stalled"),
  /** The task waits or is being carried out; kstatus reads it. Else the reason of its end. */
  RECONCILING("Reconciling");

  private final String value;

  NodeTaskConditionType(String value) {
    this.value = value;
  }

  /** The type as it stands in status. */
  @Override
  public String toString() {
    return value;
  }
}
