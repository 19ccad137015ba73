package io.sei.operator.api.v1alpha1;

import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Pod;

/**
 * The spec hash that a pod without the operator's stamp stands for, recorded when its node was
 * adopted.
 */
public record PodBaseline(@Required String podUid, @Required String specHash) {

  /** Whether it was recorded for this pod. */
  public boolean isOf(Pod pod) {
    return podUid.equals(pod.getMetadata().getUid());
  }
}
