package io.sei.operator.testkit;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What {@code config-apply} and {@code config-validate} do, as seen on seictl 0.0.50 to 0.0.70. */
final class ConfigWork {

  private static final Set<String> MODES = Set.of("validator", "full", "seed", "archive");
  private static final Pattern GO_DURATION =
      Pattern.compile("0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+");

  /** Keys whose value has to be a number. */
  private static final Set<String> NUMBERS =
      Set.of(
          "mempool.size",
          "network.p2p.max_connections",
          "network.p2p.send_rate",
          "network.p2p.recv_rate",
          "storage.snapshot_interval",
          "storage.snapshot_keep_recent",
          "chain.min_retain_blocks",
          "state_sync.trust_height");

  /** The other keys that tests set. The real list is longer; a test that needs more adds it. */
  private static final Set<String> OTHERS =
      Set.of(
          "logging.level",
          "network.p2p.external_address",
          SidecarHome.PEERS,
          "storage.pruning_keep_recent",
          "storage.pruning_keep_every",
          "storage.state_commit.async_commit_buffer",
          "storage.state_commit.memiavl.snapshot_keep_recent",
          "storage.state_commit.memiavl.snapshot_min_time_interval",
          SidecarHome.STATE_SYNC_ENABLE,
          "state_sync.rpc_servers",
          "state_sync.trust_hash",
          "state_sync.use_local_snapshot");

  private ConfigWork() {}

  static SidecarHome apply(TaskParams params, SidecarHome home) {
    String mode = params.text("mode", "seiconfig.NodeMode");
    boolean incremental = params.flag("incremental");
    Map<String, String> overrides = new TreeMap<>(params.textsByKey("overrides"));
    if (incremental) {
      read("config-apply incremental: reading current config: ", home);
    } else if (mode.isEmpty()) {
      throw new TaskFailure("config-apply: mode is required for non-incremental config resolution");
    }
    if (!mode.isEmpty() && !MODES.contains(mode)) {
      throw new TaskFailure("config-apply: invalid mode \"" + mode + "\"");
    }
    overrides.forEach(ConfigWork::check);
    if (!incremental) {
      // Peers and state sync are back to their defaults unless the overrides have them.
      return home.configured(mode, overrides);
    }
    SidecarHome merged = home.with(overrides);
    return merged.configured(mode.isEmpty() ? home.mode() : mode, merged.settings());
  }

  /** Neither missing peers nor a state sync that was lost is noticed. */
  static SidecarHome validate(SidecarHome home) {
    read("config-validate: reading config: ", home);
    return home;
  }

  private static void read(String prefix, SidecarHome home) {
    if (!home.appToml()) {
      String file = "/sei/config/app.toml";
      throw new TaskFailure(
          prefix + "reading " + file + ": open " + file + ": no such file or directory");
    }
    String period = home.settings().getOrDefault(SidecarHome.TRUST_PERIOD, "0");
    if (!GO_DURATION.matcher(period).matches()) {
      String unit = period.replaceAll("[0-9.]", "");
      throw new TaskFailure(
          prefix
              + "invalid duration \"%s\": time: unknown unit \"%s\" in duration \"%s\""
                  .formatted(period, unit, period));
    }
  }

  private static void check(String key, String value) {
    if (NUMBERS.contains(key)) {
      if (!value.matches("-?[0-9]+")) {
        throw new TaskFailure(
            "config-apply: applying overrides: applying override \"%s\"=\"%s\": expected integer"
                .formatted(key, value));
      }
    } else if (!OTHERS.contains(key)) {
      throw new TaskFailure(
          "config-apply: applying overrides: unknown override key \"" + key + "\"");
    }
  }
}
