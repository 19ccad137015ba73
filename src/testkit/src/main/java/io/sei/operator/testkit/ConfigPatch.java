package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Carries out {@code config-patch}: a merge into a file of {@code config/}, which need not be
 * there, in which null removes a key. Nothing is checked but that there is a file. A setting that
 * sei-config has a key for is the same as one of {@code config-apply}; any other one is gone with
 * the next {@code config-apply}, which writes what it knows of config.toml and app.toml.
 */
final class ConfigPatch {

  private static final String CONFIG = "config.toml ";
  private static final String APP = "app.toml ";

  /** Keys of sei-config, by file and key. */
  private static final Map<String, String> KEYS =
      Map.ofEntries(
          Map.entry(CONFIG + "log-level", "logging.level"),
          Map.entry(CONFIG + "mempool.size", "mempool.size"),
          Map.entry(CONFIG + "p2p.external-address", "network.p2p.external_address"),
          Map.entry(CONFIG + "p2p.laddr", "network.p2p.listen_address"),
          Map.entry(CONFIG + "p2p.max-connections", "network.p2p.max_connections"),
          Map.entry(CONFIG + "p2p.persistent-peers", SidecarHome.PEERS),
          Map.entry(CONFIG + "p2p.recv-rate", "network.p2p.recv_rate"),
          Map.entry(CONFIG + "p2p.send-rate", "network.p2p.send_rate"),
          Map.entry(CONFIG + "statesync.backfill-blocks", SidecarHome.BACKFILL_BLOCKS),
          Map.entry(CONFIG + "statesync.enable", SidecarHome.STATE_SYNC_ENABLE),
          Map.entry(CONFIG + "statesync.rpc-servers", SidecarHome.RPC_SERVERS),
          Map.entry(CONFIG + "statesync.trust-hash", SidecarHome.TRUST_HASH),
          Map.entry(CONFIG + "statesync.trust-height", SidecarHome.TRUST_HEIGHT),
          Map.entry(CONFIG + "statesync.trust-period", SidecarHome.TRUST_PERIOD),
          Map.entry(CONFIG + "statesync.use-local-snapshot", SidecarHome.USE_LOCAL_SNAPSHOT),
          Map.entry(CONFIG + "tx-index.indexer", SidecarHome.TX_INDEXER),
          Map.entry(APP + "state-store.ss-enable", SidecarHome.STATE_STORE),
          Map.entry(APP + "state-store.ss-backend", SidecarHome.STATE_STORE_BACKEND),
          Map.entry(APP + "min-retain-blocks", "chain.min_retain_blocks"),
          Map.entry(APP + "pruning-keep-every", "storage.pruning_keep_every"),
          Map.entry(APP + "pruning-keep-recent", "storage.pruning_keep_recent"),
          Map.entry(APP + "state-sync.snapshot-interval", SidecarHome.SNAPSHOT_INTERVAL),
          Map.entry(APP + "state-sync.snapshot-keep-recent", "storage.snapshot_keep_recent"));

  /** Places by setting. */
  private static final Map<String, String> PLACES =
      KEYS.entrySet().stream().collect(Collectors.toMap(Map.Entry::getValue, Map.Entry::getKey));

  private ConfigPatch() {}

  static SidecarHome carryOut(SidecarVersion version, TaskParams params, SidecarHome home) {
    Map<String, JsonNode> files = params.objectsByKey("files");
    if (files.isEmpty()) {
      throw new TaskFailure("config-patch: at least one file is required");
    }
    var settings = new TreeMap<>(home.settings());
    files.forEach((file, patch) -> merge(version, settings, file + " ", patch));
    return home.patched(files.containsKey(APP.strip()), settings);
  }

  private static void merge(
      SidecarVersion version, Map<String, String> settings, String path, JsonNode patch) {
    for (Map.Entry<String, JsonNode> entry : patch.properties()) {
      String key = path + entry.getKey();
      JsonNode value = entry.getValue();
      if (value.isObject()) {
        settings.keySet().removeIf(setting -> place(setting).equals(key));
        merge(version, settings, key + ".", value);
      } else {
        settings.keySet().removeIf(setting -> (place(setting) + ".").startsWith(key + "."));
        if (!value.isNull()) {
          settings.put(setting(key), text(version, value));
        }
      }
    }
  }

  private static String text(SidecarVersion version, JsonNode value) {
    return value.isIntegralNumber() && !version.keepsWholeNumbers()
        ? new BigDecimal(value.asDouble()) + ".0"
        : value.isTextual() ? value.asText() : value.toString();
  }

  /**
   * The file that has a fraction where sei-config wants a whole number; empty if none has.
   *
   * @param settings of a home
   */
  static Optional<String> fileWithFraction(Map<String, String> settings) {
    return settings.entrySet().stream()
        .filter(entry -> ConfigKeys.isNumber(entry.getKey()) && entry.getValue().endsWith(".0"))
        .map(entry -> place(entry.getKey()).split(" ")[0])
        .findFirst();
  }

  /** Returns the text that {@code config-apply} writes for a setting that it has read. */
  static String rewritten(String setting, String value) {
    return ConfigKeys.isNumber(setting) ? value.replaceFirst("\\.0$", "") : value;
  }

  private static String place(String setting) {
    return PLACES.getOrDefault(setting, setting);
  }

  /** Returns the name under which a key of a file is kept. */
  static String setting(String fileAndKey) {
    return KEYS.getOrDefault(fileAndKey, fileAndKey);
  }

  /**
   * Returns whether a setting is one that {@code config-apply} does not know, in a file that it
   * writes.
   */
  static boolean isLostWhenWritten(String setting) {
    return setting.startsWith(CONFIG) || setting.startsWith(APP);
  }

  /** Returns whether a setting is in a file that {@code config-apply} does not write. */
  static boolean isInAnotherFile(String setting) {
    return setting.contains(" ") && !isLostWhenWritten(setting);
  }
}
