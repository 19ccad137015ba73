package io.sei.operator.node.model;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.util.Optional;

/**
 * PURE: what is laid over a node's spec. Each overlay changes a field of its own, and goes by none
 * that another one changes, so they may be applied in any order.
 */
@FunctionalInterface
public interface Overlay {

  /**
   * The spec as it is to be.
   *
   * @param kept the pod that goes on as it is, because it may not be ended
   */
  SeiNodeSpec effective(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept);

  /** The field, such as "spec.paused", that is to be otherwise than the user wrote it. */
  default Optional<String> setAside(SeiNodeSpec declared, SeiNodeSpec effective) {
    return Optional.empty();
  }

  /**
   * The node's pod as everybody else is to judge it.
   *
   * @param pod as the watch has it
   */
  default Pod seen(Pod pod, SeiNodeStatus status) {
    return pod;
  }
}
