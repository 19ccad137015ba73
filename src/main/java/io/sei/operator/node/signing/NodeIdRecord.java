package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.NodePass;

/**
 * Keeps {@code status.nodeId} that of the Secret in {@code spec.validator.nodeKey}. A plan's task
 * records it; a node that was validated before the field existed is looked at once, outside plans.
 */
record NodeIdRecord(KubeApi api) {

  /** Completes the record, or drops one that nothing stands for any more. */
  void keep(NodePass pass) {
    SeiNodeStatus status = pass.stored();
    boolean hasKey = pass.node().getSpec().nodeKeySecret().isPresent();
    if (!hasKey && status.nodeId() != null) {
      pass.update(seiNodeStatus -> seiNodeStatus.withNodeId(null));
    }
    if (hasKey && status.nodeId() == null && isToBeValidated(pass)) {
      ValidateKeyTask.ofNodeKey(api).run(pass);
    }
  }

  /** A Secret that was found to be of no use is looked at again by the next plan. */
  private static boolean isToBeValidated(NodePass pass) {
    SeiNodeStatus status = pass.stored();
    return pass.view().isRunning()
        && status.plan() == null
        && status
            .condition(NodeConditionType.NODE_KEY_READY)
            .filter(condition -> condition.status() == ConditionStatus.FALSE)
            .isEmpty();
  }
}
