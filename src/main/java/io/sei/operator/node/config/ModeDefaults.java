package io.sei.operator.node.config;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.render.NodeMode;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** PURE: what the operator sets in a node's configuration beyond sei-config's own defaults. */
final class ModeDefaults {

  private static final String SNAPSHOT_INTERVAL = "storage.snapshot_interval";
  private static final String SNAPSHOT_KEEP_RECENT = "storage.snapshot_keep_recent";

  /** Blocks between two state-sync snapshots. */
  private static final String BLOCKS_PER_SNAPSHOT = "2000";

  /** A node that serves snapshots has more peers to send them to, at 20 MiB/s each. */
  private static final Map<String, String> SNAPSHOT_SERVER =
      Map.of(
          SNAPSHOT_INTERVAL,
          BLOCKS_PER_SNAPSHOT,
          "storage.pruning_keep_recent",
          "50000",
          "storage.pruning_keep_every",
          "0",
          "chain.min_retain_blocks",
          "50000",
          "network.p2p.max_connections",
          "500",
          "network.p2p.send_rate",
          "20971520",
          "network.p2p.recv_rate",
          "20971520");

  /** A replayer commits as fast as it can read blocks. */
  private static final Map<String, String> REPLAYER =
      Map.of(
          "storage.state_commit.async_commit_buffer", "100",
          "storage.state_commit.memiavl.snapshot_keep_recent", "2",
          "storage.state_commit.memiavl.snapshot_min_time_interval", "3600");

  private ModeDefaults() {}

  /** Keys and values for a spec, the user's overrides left out. */
  static Map<String, String> of(SeiNodeSpec spec) {
    var defaults = new TreeMap<String, String>();
    defaults.put("logging.level", "info");
    if (spec.externalAddress() != null && !spec.externalAddress().isBlank()) {
      defaults.put("network.p2p.external_address", spec.externalAddress());
    }
    switch (NodeMode.of(spec)) {
      case FULL ->
          keepRecent(spec)
              .ifPresent(
                  keep -> {
                    defaults.putAll(SNAPSHOT_SERVER);
                    defaults.put(SNAPSHOT_KEEP_RECENT, keep);
                  });
      case ARCHIVE ->
          keepRecent(spec)
              .ifPresent(
                  keep -> {
                    defaults.put(SNAPSHOT_INTERVAL, BLOCKS_PER_SNAPSHOT);
                    defaults.put(SNAPSHOT_KEEP_RECENT, keep);
                  });
      case REPLAYER -> defaults.putAll(REPLAYER);
      case VALIDATOR -> {}
    }
    return defaults;
  }

  /** Keys and values for a spec: the operator's for the mode and, over them, the user's. */
  static SortedMap<String, String> overrides(SeiNodeSpec spec) {
    var overrides = new TreeMap<>(of(spec));
    Optional.ofNullable(spec.overrides()).ifPresent(overrides::putAll);
    return overrides;
  }

  private static Optional<String> keepRecent(SeiNodeSpec spec) {
    return spec.stateSyncSnapshots()
        .map(SnapshotGeneration.Tendermint::keepRecent)
        .map(String::valueOf);
  }
}
