package io.sei.operator.diagnosis;

/** What is wrong between the operator and a node's sidecar. */
public enum SidecarTrouble {
  NONE,
  /** No answer. */
  UNREACHABLE,
  /** 401 or 403, or the API server issues no token. */
  FORBIDDEN,
  /** Nothing is sent: another pod may have the address, or the proxy has the wrong audience. */
  NOT_ASKED,
  /** It does not know a type of task. */
  UNSUPPORTED,
  /** It answered, and the answer was that the task failed; its plan tries it again. */
  TASK_FAILED,
  /** The task failed as often as its plan tries. */
  TASK_GIVEN_UP,
  /** It found the configuration wrong, more than once. */
  CONFIGURATION_REFUSED;

  /** Whether it is what a task of the sidecar said when it failed. */
  public boolean isOfTask() {
    return this == TASK_FAILED || this == TASK_GIVEN_UP || this == CONFIGURATION_REFUSED;
  }
}
