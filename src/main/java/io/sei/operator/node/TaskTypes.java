package io.sei.operator.node;

/** Types of the tasks in a node's plans, as they stand in persisted plans. */
public final class TaskTypes {

  public static final String ENSURE_DATA_PVC = "ensure-data-pvc";
  public static final String APPLY_RBAC_PROXY_CONFIG = "apply-rbac-proxy-config";
  public static final String APPLY_STATEFUL_SET = "apply-statefulset";
  public static final String APPLY_SERVICE = "apply-service";
  public static final String REPLACE_POD = "replace-pod";
  public static final String OBSERVE_IMAGE = "observe-image";
  public static final String MARK_READY = "mark-ready";

  private TaskTypes() {}
}
