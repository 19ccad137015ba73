package io.sei.operator.api.v1alpha1;

import java.util.List;

/** Conditions of a SeiNode. Once set, a condition is never removed. */
public enum NodeConditionType implements ConditionType {
  /** The node's pod is Ready: it serves, on whatever image. */
  READY("Ready"),
  /** The node has the blocks that its peers have, by its own RPC; there once it has answered. */
  CAUGHT_UP("CaughtUp"),
  /** What runs is what the spec asks for, and no plan is active. */
  UP_TO_DATE("UpToDate"),
  /** An update plan is active. */
  NODE_UPDATE_IN_PROGRESS("NodeUpdateInProgress"),
  /** The sidecar has been told that the node may start. */
  SIDECAR_READY("SidecarReady"),
  /** The node is stopped at the user's wish. */
  PAUSED("Paused"),
  /** seid is kept from running, and the volume can be worked on; there once it was asked for. */
  HELD("Held"),
  /** True is bad: no progress is made, and the reason says why. */
  STALLED("Stalled"),
  /** The pod differs from its template in something that restarts no pod by itself. */
  RESTART_PENDING("RestartPending"),
  /** The StatefulSet exists, is the node's and is recorded. */
  STATEFUL_SET_READY("StatefulSetReady"),
  /** The node is prepared for the upgrades ahead; there once it has any. */
  UPGRADES_READY("UpgradesReady"),
  /** Updates change the pod in place where they can; there once that was asked for. */
  UPDATES_IN_PLACE("UpdatesInPlace"),
  /** The data volume has the size that the spec asks for; there where it asks for one. */
  DATA_VOLUME_RESIZED("DataVolumeResized"),
  /** One Kubernetes node alone can use the data volume; there once that was so. */
  DATA_VOLUME_PINNED("DataVolumePinned"),
  /** True is bad: the data goes with the pod, or is left on a released volume; there once so. */
  DATA_VOLUME_AT_RISK("DataVolumeAtRisk"),
  /** The imported claim is usable. */
  IMPORT_PVC_READY("ImportPVCReady"),
  /** The claim was made from the VolumeSnapshot that the spec asks for. */
  DATA_VOLUME_RESTORED("DataVolumeRestored"),
  /** The volume has the genesis of the ConfigMap that the spec names; there where it names one. */
  GENESIS_READY("GenesisReady"),
  /** The signing key is usable. */
  SIGNING_KEY_READY("SigningKeyReady"),
  /** The node key is usable. */
  NODE_KEY_READY("NodeKeyReady"),
  /** The operator keyring is usable. */
  OPERATOR_KEYRING_READY("OperatorKeyringReady");

  /** Of the Secrets that a spec refers to. */
  public static final List<NodeConditionType> OF_KEYS =
      List.of(SIGNING_KEY_READY, NODE_KEY_READY, OPERATOR_KEYRING_READY);

  private final String value;

  NodeConditionType(String value) {
    this.value = value;
  }

  /** The type as it stands in status. */
  @Override
  public String toString() {
    return value;
  }
}
