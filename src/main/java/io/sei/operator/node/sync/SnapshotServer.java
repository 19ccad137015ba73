package io.sei.operator.node.sync;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.NodeMode;
import java.util.Map;

/** Has a node make the snapshots that others sync their state from. */
public record SnapshotServer() implements NodeFeature {

  /** Blocks between two of them. */
  private static final String INTERVAL = "2000";

  /** A full node that serves them has more peers to send them to, at 20 MiB/s each. */
  private static final Map<String, String> FULL =
      Map.of(
          "storage.pruning_keep_recent", "50000",
          "storage.pruning_keep_every", "0",
          "chain.min_retain_blocks", "50000",
          "network.p2p.max_connections", "500",
          "network.p2p.send_rate", "20971520",
          "network.p2p.recv_rate", "20971520");

  @Override
  public void config(NodeView view, ConfigParts parts) {
    SeiNodeSpec spec = view.node().getSpec();
    NodeMode mode = NodeMode.of(spec);
    if (mode != NodeMode.FULL && mode != NodeMode.ARCHIVE) {
      return;
    }
    spec.stateSyncSnapshots()
        .map(SnapshotGeneration.Tendermint::keepRecent)
        .ifPresent(
            keep -> {
              parts.set("storage.snapshot_interval", INTERVAL);
              parts.set("storage.snapshot_keep_recent", String.valueOf(keep));
              if (mode == NodeMode.FULL) {
                FULL.forEach(parts::set);
              }
            });
  }
}
