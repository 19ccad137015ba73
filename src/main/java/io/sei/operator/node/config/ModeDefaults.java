package io.sei.operator.node.config;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.Ports;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** PURE: what the operator sets in any node's configuration beyond sei-config's own defaults. */
final class ModeDefaults {

  /** A replayer commits as fast as it can read blocks. */
  private static final Map<String, String> REPLAYER =
      Map.of(
          "storage.state_commit.async_commit_buffer", "100",
          "storage.state_commit.memiavl.snapshot_keep_recent", "2",
          "storage.state_commit.memiavl.snapshot_min_time_interval", "3600");

  private ModeDefaults() {}

  /**
   * Returns keys and values for a spec. In sidecars up to v0.0.68 only the seed mode of sei-config
   * has P2P on the loopback interface, where no peer could reach it.
   */
  static SortedMap<String, String> of(SeiNodeSpec spec) {
    var defaults = new TreeMap<String, String>();
    defaults.put("logging.level", "info");
    if (spec.externalAddress() != null && !spec.externalAddress().isBlank()) {
      defaults.put("network.p2p.external_address", spec.externalAddress());
    }
    switch (NodeMode.of(spec)) {
      case REPLAYER -> defaults.putAll(REPLAYER);
      case SEED -> defaults.put("network.p2p.listen_address", "tcp://0.0.0.0:" + Ports.P2P);
      case FULL, ARCHIVE, VALIDATOR -> {}
    }
    return defaults;
  }
}
