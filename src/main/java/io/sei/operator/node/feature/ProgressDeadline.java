package io.sei.operator.node.feature;

import io.sei.operator.api.v1alpha1.SeiNode;
import java.time.Duration;

/**
 * Time that a node may wait before it counts as stalled.
 *
 * @param byDefault what goes for nodes whose spec says nothing
 */
public record ProgressDeadline(Duration byDefault) {

  /** Returns the deadline of this node. */
  public Duration of(SeiNode node) {
    Integer seconds = node.getSpec().progressDeadlineSeconds();
    return seconds == null ? byDefault : Duration.ofSeconds(seconds);
  }
}
