package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.SeiNode;

/** Contribution to the pod of a node. */
@FunctionalInterface
public interface PodPart {

  /**
   * Adds this part to a pod.
   *
   * @param node as it is to be; in the pod of a {@link Bootstrap}, as that run has it
   */
  void pod(SeiNode node, PodParts pod);
}
