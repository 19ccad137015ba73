package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/**
 * The spec hash that a pod without the operator's stamp stands for, recorded when its node was
 * adopted.
 */
public record PodBaseline(
    @Required String podUid,
    @Required String specHash,
    @JsonPropertyDescription(
            "Fields that were set in the spec at adoption and that this operator does not "
                + "know; unset if there are none.")
        List<String> unserved) {

  /** Returns the baseline of a node whose spec has no other fields. */
  public PodBaseline(String podUid, String specHash) {
    this(podUid, specHash, null);
  }

  /** Returns whether it was recorded for this pod. */
  public boolean isOf(Pod pod) {
    return podUid.equals(pod.getMetadata().getUid());
  }
}
