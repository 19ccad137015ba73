package io.sei.operator.kube;

/** The two types of Events that Kubernetes has. */
public enum EventType {
  NORMAL("Normal"),
  WARNING("Warning");

  private final String value;

  EventType(String value) {
    this.value = value;
  }

  /** As the API spells it. */
  public String value() {
    return value;
  }
}
