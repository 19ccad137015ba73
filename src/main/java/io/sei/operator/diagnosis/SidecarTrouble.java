package io.sei.operator.diagnosis;

/** Trouble between the operator and a node's sidecar. */
public enum SidecarTrouble {
  NONE,
  /** The sidecar does not answer. */
  UNREACHABLE,
  /** 401 or 403, or the API server issues no token. */
  FORBIDDEN,
  /** No request is sent: another pod may have the address, or the proxy has the wrong audience. */
  NOT_ASKED,
  /** The sidecar does not know a type of task. */
  UNSUPPORTED,
  /** The sidecar reports that the task failed; the plan retries it. */
  TASK_FAILED,
  /** The task failed as often as its plan tries. */
  TASK_GIVEN_UP,
  /** The sidecar found the configuration wrong, more than once. */
  CONFIGURATION_REFUSED;

  /** Returns whether it is what a task of the sidecar said when it failed. */
  public boolean isOfTask() {
    return this == TASK_FAILED || this == TASK_GIVEN_UP || this == CONFIGURATION_REFUSED;
  }
}
