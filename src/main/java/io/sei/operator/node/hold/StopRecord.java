package io.sei.operator.node.hold;

import io.sei.operator.api.v1alpha1.NodeStop;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import java.util.Optional;

/** Records for which VolumeSnapshot a node is stopped, and at which height. */
public record StopRecord() implements NodeFeature {

  @Override
  public void conditions(ConditionParts conditions) {
    conditions.record(this::record);
  }

  /** The height is kept as it was when the stop began: what is stopped answers no more. */
  void record(NodePass pass) {
    NodeView view = pass.view();
    Optional<Long> before =
        Optional.ofNullable(pass.draft().stopped())
            .filter(
                it -> view.stop().filter(now -> now.snapshot().equals(it.snapshot())).isPresent())
            .map(NodeStop::height);
    NodeStop stopped =
        view.stop()
            .map(
                it ->
                    new NodeStop(
                        it.snapshot(), it.until(), view.height().or(() -> before).orElse(null)))
            .orElse(null);
    pass.update(status -> status.withStopped(stopped));
  }
}
