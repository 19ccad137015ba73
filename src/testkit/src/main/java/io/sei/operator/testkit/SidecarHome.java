package io.sei.operator.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * State that a sidecar's tasks leave on the data volume. It outlives the pod, and what it lacks
 * makes tasks fail, as seen on seictl 0.0.50 to 0.0.70.
 *
 * @param markers names of the empty files that say that a task is done for good
 * @param nodeKey whether there is {@code config/node_key.json}
 * @param appToml whether there is {@code config/app.toml}
 * @param mode the mode in the configuration; one without a mode is read as that of a full node
 * @param snapshotHeight the highest snapshot in {@code data/snapshots}, null if there is none
 * @param settings what is set other than by default, by the key that sei-config has for it or,
 *     where it has none, by file and key, as {@code app.toml giga.execution.parse_workers}
 */
public record SidecarHome(
    Set<String> markers,
    boolean nodeKey,
    boolean appToml,
    String mode,
    Long snapshotHeight,
    Map<String, String> settings) {

  static final String GENESIS_DONE = ".sei-sidecar-genesis-done";
  static final String SNAPSHOT_DONE = ".sei-sidecar-snapshot-done";
  static final String STATE_SYNC_DONE = ".sei-sidecar-statesync-done";
  static final String IDENTITY_DONE = ".sei-sidecar-identity-done";

  static final String PEERS = "network.p2p.persistent_peers";
  static final String STATE_SYNC = "state_sync.";
  static final String STATE_SYNC_ENABLE = STATE_SYNC + "enable";
  static final String RPC_SERVERS = STATE_SYNC + "rpc_servers";
  static final String TRUST_HEIGHT = STATE_SYNC + "trust_height";
  static final String TRUST_HASH = STATE_SYNC + "trust_hash";
  static final String TRUST_PERIOD = STATE_SYNC + "trust_period";
  static final String USE_LOCAL_SNAPSHOT = STATE_SYNC + "use_local_snapshot";
  static final String BACKFILL_BLOCKS = STATE_SYNC + "backfill_blocks";

  static final String TX_INDEXER = "tx_index.indexer";
  static final String STATE_STORE = "storage.state_store.enable";
  static final String STATE_STORE_BACKEND = "storage.state_store.backend";
  static final String SNAPSHOT_INTERVAL = "storage.snapshot_interval";

  /** Settings that sei-config writes for validators and seeds, as seen with 0.0.70. */
  private static final Map<String, String> WITHOUT_QUERIES =
      Map.of(TX_INDEXER, "[\"null\"]", STATE_STORE, "false");

  /** Settings that sei-config writes for modes that serve queries. */
  private static final Map<String, String> WITH_QUERIES =
      Map.of(TX_INDEXER, "[\"kv\"]", STATE_STORE, "true");

  /** A volume that was never written to. */
  public static final SidecarHome EMPTY =
      new SidecarHome(Set.of(), false, false, "full", null, Map.of());

  /** Copies, because a home is handed out while tasks go on. */
  public SidecarHome {
    markers = Set.copyOf(markers);
    settings = Map.copyOf(settings);
  }

  /** The persistent peers in the order in which they were written. */
  public List<String> peers() {
    String peers = settings.getOrDefault(PEERS, "");
    return peers.isEmpty() ? List.of() : new ArrayList<>(Arrays.asList(peers.split(",", -1)));
  }

  /**
   * Returns the value of a key in a file of {@code config/}, except a default that all modes share.
   *
   * @param key with the tables that it is in, as {@code p2p.persistent-peers}
   */
  public Optional<String> setting(String file, String key) {
    return Optional.ofNullable(effective(ConfigPatch.setting(file + " " + key)));
  }

  private String effective(String setting) {
    Map<String, String> ofMode =
        mode.equals("validator") || mode.equals("seed") ? WITHOUT_QUERIES : WITH_QUERIES;
    return settings.getOrDefault(setting, ofMode.get(setting));
  }

  /** Returns whether seid can find a transaction by its hash. */
  boolean indexesTransactions() {
    String indexer = effective(TX_INDEXER);
    return !indexer.contains("null") && indexer.matches(".*\\w.*");
  }

  /** Why seid panics at its start; empty if it does not. Neither task nor file shows it. */
  Optional<String> refusal() {
    String interval = settings.getOrDefault(SNAPSHOT_INTERVAL, "0");
    return "false".equals(effective(STATE_STORE)) && !interval.equals("0")
        ? Optional.of(
            "Config validation failed, SeiDB SS store needs to be enabled when snapshot interval"
                + " %s > 0".formatted(interval))
        : Optional.empty();
  }

  /** Returns whether seid would start with state sync. */
  public boolean stateSyncEnabled() {
    return "true".equals(settings.get(STATE_SYNC_ENABLE));
  }

  /** Returns the trust period of a block: a duration, unless it was not validated. */
  String trustPeriod() {
    return settings.getOrDefault(TRUST_PERIOD, "168h0m0s");
  }

  /** Returns the home after {@code seid init}, which changes nothing that is there. */
  SidecarHome initialised() {
    return new SidecarHome(markers, true, true, mode, snapshotHeight, settings);
  }

  SidecarHome withIdentity() {
    return new SidecarHome(markers, true, appToml, mode, snapshotHeight, settings);
  }

  SidecarHome marked(String marker) {
    var more = new TreeSet<>(markers);
    more.add(marker);
    return new SidecarHome(more, nodeKey, appToml, mode, snapshotHeight, settings);
  }

  SidecarHome without(String marker) {
    var fewer = new TreeSet<>(markers);
    fewer.remove(marker);
    return new SidecarHome(fewer, nodeKey, appToml, mode, snapshotHeight, settings);
  }

  /** Returns the home without the markers of tasks. */
  SidecarHome unmarked() {
    return new SidecarHome(Set.of(), nodeKey, appToml, mode, snapshotHeight, settings);
  }

  SidecarHome withSnapshot(long height) {
    return new SidecarHome(markers, nodeKey, appToml, mode, height, settings);
  }

  /** Both files written anew, with these settings over the mode's defaults. */
  SidecarHome configured(String newMode, Map<String, String> newSettings) {
    var written = new TreeMap<>(newSettings);
    written.keySet().removeIf(ConfigPatch::isLostWhenWritten);
    written.replaceAll(ConfigPatch::rewritten);
    settings.entrySet().stream()
        .filter(setting -> ConfigPatch.isInAnotherFile(setting.getKey()))
        .forEach(setting -> written.put(setting.getKey(), setting.getValue()));
    return new SidecarHome(markers, nodeKey, true, newMode, snapshotHeight, written);
  }

  /** Files with other settings in them; app.toml is made if there is none. */
  SidecarHome patched(boolean withAppToml, Map<String, String> newSettings) {
    return new SidecarHome(
        markers, nodeKey, appToml || withAppToml, mode, snapshotHeight, newSettings);
  }

  SidecarHome with(Map<String, String> more) {
    var all = new TreeMap<>(settings);
    all.putAll(more);
    return new SidecarHome(markers, nodeKey, appToml, mode, snapshotHeight, all);
  }

  /** Without chain data and the marker of state sync: the only marker that a task takes away. */
  SidecarHome withoutData() {
    Set<String> fewer = without(STATE_SYNC_DONE).markers;
    return new SidecarHome(fewer, nodeKey, appToml, mode, null, settings);
  }
}
