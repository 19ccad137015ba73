package io.sei.operator.node.feature;

import io.sei.operator.plan.SidecarTaskTypes;

/** Types of the tasks that no feature owns, as they stand in persisted plans. */
public final class TaskTypes {

  public static final String ENSURE_DATA_PVC = "ensure-data-pvc";
  public static final String APPLY_RBAC_PROXY_CONFIG = "apply-rbac-proxy-config";
  public static final String DEPLOY_BOOTSTRAP_JOB = "deploy-bootstrap-job";
  public static final String AWAIT_BOOTSTRAP = "await-bootstrap-complete";
  public static final String TEARDOWN_BOOTSTRAP = "teardown-bootstrap";
  public static final String APPLY_STATEFUL_SET = "apply-statefulset";
  public static final String APPLY_SERVICE = "apply-service";
  public static final String REPLACE_POD = "replace-pod";
  public static final String OBSERVE_IMAGE = "observe-image";
  public static final String MARK_READY = SidecarTaskTypes.MARK_READY;
  public static final String MARK_NOT_READY = SidecarTaskTypes.MARK_NOT_READY;

  private TaskTypes() {}

  /** Returns whether the sidecar carries out tasks of a type. */
  public static boolean isOfSidecar(String type) {
    return SidecarTaskTypes.ALL.contains(type);
  }
}
