package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.util.Optional;

/**
 * PURE: changes a field of a node's declared spec for the effective one. Overlays touch disjoint
 * fields and read none that another overlay changes, so their order does not matter.
 */
@FunctionalInterface
public interface Overlay {

  /**
   * Returns the effective spec.
   *
   * @param kept the pod that has to stay as it is, because it must not be ended
   */
  SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept);
}
