package io.sei.operator.api.v1alpha1;

/** Why a plan task waits, where no condition has that reason as well. */
public enum TaskReason implements Reason {
  /** A record is written before the task continues. */
  RECORDING("Recording"),
  /** The last attempt failed, and the next one is not due yet. */
  RETRYING("Retrying"),
  /** The StatefulSet controller has not observed the new template. */
  AWAITING_REVISION("AwaitingRevision"),
  /** The StatefulSet has not the template of the plan yet. */
  AWAITING_TEMPLATE("AwaitingTemplate"),
  BOOTSTRAP_JOB_CHANGED("BootstrapJobChanged"),
  BOOTSTRAP_JOB_TERMINATING("BootstrapJobTerminating"),
  CLAIM_CHANGED("ClaimChanged"),
  CLAIM_OF_EARLIER_NODE("ClaimOfEarlierNode"),
  CLAIM_TERMINATING("ClaimTerminating"),
  /** A pod with the labels of the node belongs to another owner. */
  FOREIGN_POD("ForeignPod"),
  IMAGE_PULLING("ImagePulling"),
  MACHINE_LEAVING("MachineLeaving"),
  PEERS_UNRESOLVED("PeersUnresolved"),
  POD_CHANGED("PodChanged"),
  /** The log of seid is read for why it ended. */
  READING_LOG("ReadingLog"),
  /** Seid of a bootstrap replays blocks, which has no deadline. */
  REPLAYING("Replaying"),
  SEID_RESTARTING("SeidRestarting"),
  SIDECAR_BUSY("SidecarBusy"),
  SIDECAR_RESTARTED("SidecarRestarted"),
  SIDECAR_TASK_RUNNING("SidecarTaskRunning"),
  STATEFUL_SET_CHANGED("StatefulSetChanged"),
  STATEFUL_SET_ORPHANED("StatefulSetOrphaned"),
  STATEFUL_SET_REPLACING("StatefulSetReplacing"),
  STATEFUL_SET_TERMINATING("StatefulSetTerminating"),
  TOO_MANY_REPLICAS("TooManyReplicas"),
  /** Pods that use the volume are not gone yet. */
  VOLUME_IN_USE("VolumeInUse");

  private final String value;

  TaskReason(String value) {
    this.value = value;
  }

  @Override
  public String toString() {
    return value;
  }
}
