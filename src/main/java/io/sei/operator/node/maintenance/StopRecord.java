package io.sei.operator.node.maintenance;

import io.sei.operator.api.v1alpha1.NodeStop;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import java.util.Optional;

/** Records for which VolumeSnapshot a node is stopped, and at which height. */
public record StopRecord() implements NodeFeature {

  /** The height is kept as it was when the stop began: what is stopped answers no more. */
  @Override
  public void record(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    Optional<Long> before =
        Optional.ofNullable(reconcile.status().stopped())
            .filter(
                it ->
                    snapshot.stop().filter(now -> now.snapshot().equals(it.snapshot())).isPresent())
            .map(NodeStop::height);
    NodeStop stopped =
        snapshot
            .stop()
            .map(
                it ->
                    new NodeStop(
                        it.snapshot(), it.until(), snapshot.height().or(() -> before).orElse(null)))
            .orElse(null);
    reconcile.update(status -> status.withStopped(stopped));
  }
}
