package io.sei.operator.node.feature;

/**
 * Kinds of a part of a node's plan, by which features select their steps.
 *
 * <p>config-patch comes right before config-validate, if keys are set or removed that config-apply
 * does not write.
 *
 * <p>For a validator with keys in Secrets, validate-signing-key, validate-node-key and
 * validate-operator-keyring come right before apply-statefulset. A node that is held has only
 * mark-not-ready and await-exit, if it is to end by itself, and then the steps of an update up to
 * observe-image.
 */
public enum PlanShape {
  /**
   * From a new volume to a node that may start: ensure-data-pvc, apply-rbac-proxy-config,
   * apply-statefulset, apply-service, replace-pod, observe-image, and the sidecar's tasks:
   * configure-genesis, snapshot-restore, config-apply, discover-peers, configure-state-sync,
   * config-validate, snapshot-upload and mark-ready.
   */
  INIT,

  /**
   * From a new volume to a seid that replays up to a height, in a bootstrap Job: apply-service,
   * deploy-bootstrap-job, the sidecar's tasks up to mark-ready, await-bootstrap-complete and
   * teardown-bootstrap.
   */
  JOB,

  /** From a volume that a bootstrap Job has left to a node that may start. */
  AFTER_JOB,

  /**
   * From one pod to another, with the configuration where the spec asks for another one:
   * apply-statefulset, apply-service, replace-pod, observe-image, then config-apply, discover-peers
   * and config-validate, if need be, and mark-ready.
   */
  UPDATE,

  /**
   * Another configuration, or others of the peers in it, for the pod there is: config-apply,
   * discover-peers, config-validate, mark-ready if the sidecar waits for it, and restart-seid.
   */
  CONFIG,

  /** A sidecar that was started again lets seid start. */
  MARK_READY;

  /** Returns whether the volume has no configuration yet that counts. */
  public boolean isFirst() {
    return this == INIT || this == JOB || this == AFTER_JOB;
  }

  /** Returns whether nothing of the chain is on the volume yet. */
  public boolean isOfNewVolume() {
    return this == INIT || this == JOB;
  }
}
