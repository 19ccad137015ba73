package io.sei.operator.api.v1alpha1;

/**
 * Reasons of a SeiNodeTask's conditions. They are stable, for alerts and scripts are built on them;
 * those that the Go operator has mean the same there.
 */
public enum NodeTaskReason implements Reason {
  /** The task is complete. */
  TASK_COMPLETE("TaskComplete"),
  /** The chain has included the transaction, and it succeeded. */
  CONFIRMED("Confirmed"),
  /** The task itself cannot be read. */
  INVALID_SPEC("InvalidSpec"),
  /** The node is in the phase asked for. */
  PHASE_MET("PhaseMet"),
  /** The node is not in the phase, or does not exist yet. */
  PHASE_NOT_MET("PhaseNotMet"),
  /** The node's sidecar cannot be asked at present. */
  SIDECAR_UNREACHABLE("SidecarUnreachable"),
  /** There was no such node in time, or it is gone. */
  TARGET_RESOLVE_FAILED("TargetResolveFailed"),
  /** The parameters do not fit the node. */
  PARAMS_BUILD_FAILED("ParamsBuildFailed"),
  /** The sidecar does not know the type of task, or has no guard against a second broadcast. */
  SIDECAR_UNSUPPORTED("SidecarUnsupported"),
  /** The sidecar, or what a person has asked of the node, refuses the task. */
  TASK_TERMINAL_ERROR("TaskTerminalError"),
  /** The task waits, is being carried out, or is complete. */
  NOT_STALLED("NotStalled"),
  /** The sidecar has carried it out without success. */
  TASK_FAILED("TaskFailed"),
  /** The chain has included the transaction, and it failed there. */
  TX_FAILED("TxFailed"),
  /** The operator cannot find out whether the chain has included the transaction. */
  INCLUSION_UNDETERMINED("InclusionUndetermined"),
  /** The task exceeded its deadline. */
  TIMEOUT("Timeout");

  private final String value;

  NodeTaskReason(String value) {
    this.value = value;
  }

  @Override
  public String toString() {
    return value;
  }
}
