package io.sei.operator.diagnosis;

/** What is wrong between the operator and a node's sidecar. */
public enum SidecarTrouble {
  NONE,
  /** No answer. */
  UNREACHABLE,
  /** 401 or 403. */
  FORBIDDEN,
  /** It does not know a type of task. */
  UNSUPPORTED,
  /** It answered, and the answer was that the task failed. */
  TASK_FAILED
}
