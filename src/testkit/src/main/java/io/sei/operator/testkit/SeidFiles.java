package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Settings of a sidecar that the simulated one writes into the files of a seid that runs: peers,
 * state sync in both directions, the mode, and the size of the mempool, by which tests see that a
 * configuration is in force; and the address for a remote signer. Keys are those of CometBFT 0.34
 * and of the SDK 0.45, of which the chain of the tests is made, but for the signer's, which is
 * seid's; those of Sei have dashes in them, and a mode. A key by file and name, of which only a
 * later seid knows, is added, and stays.
 *
 * @param config the directory of the files
 */
record SeidFiles(Path config) {

  /**
   * Place of a setting in a file, if that has such a key.
   *
   * @param section empty for none
   * @param unset what is there without the setting; null for whatever there is
   */
  private record Place(
      String setting, String file, String section, String key, boolean text, String unset) {

    String written(String value) {
      return text ? "\"" + value + "\"" : value;
    }

    Pattern line() {
      String before = section.isEmpty() ? "" : "^\\[%s\\]$.*?".formatted(section);
      return Pattern.compile(
          "(?ms)(%s^%s = )[^\\n]*".formatted(before, key.replaceAll("[-_]", "[-_]")));
    }
  }

  /**
   * A setting that sei-config has no key for: the file, the table, which may be none, and the key.
   */
  private static final Pattern BY_FILE = Pattern.compile("(\\S+\\.toml) (?:(\\S+)\\.)?([^\\s.]+)");

  private static final Pattern BARE = Pattern.compile("-?[0-9][0-9.]*|true|false|\\[.*]");

  private static final int ID_BYTES = 20;
  private static final String CONFIG = "config.toml";
  private static final String APP = "app.toml";
  private static final String STATE_SYNC = "statesync";

  private static final String MODE = "mode";

  private static final List<Place> PLACES =
      List.of(
          new Place(MODE, CONFIG, "", MODE, true, null),
          new Place(SidecarHome.PEERS, CONFIG, "p2p", "persistent_peers", true, ""),
          new Place("mempool.size", CONFIG, "mempool", "size", false, null),
          new Place(
              "config.toml priv-validator.laddr", CONFIG, "priv-validator", "laddr", true, ""),
          new Place(SidecarHome.STATE_SYNC_ENABLE, CONFIG, STATE_SYNC, "enable", false, "false"),
          new Place(SidecarHome.RPC_SERVERS, CONFIG, STATE_SYNC, "rpc_servers", true, ""),
          new Place(SidecarHome.TRUST_HEIGHT, CONFIG, STATE_SYNC, "trust_height", false, "0"),
          new Place(SidecarHome.TRUST_HASH, CONFIG, STATE_SYNC, "trust_hash", true, ""),
          new Place(SidecarHome.TRUST_PERIOD, CONFIG, STATE_SYNC, "trust_period", true, null),
          new Place(
              "storage.snapshot_interval", APP, "state-sync", "snapshot-interval", false, "0"),
          new Place(
              "storage.snapshot_keep_recent",
              APP,
              "state-sync",
              "snapshot-keep-recent",
              false,
              null));

  /** Writes what the home of a sidecar has; a file that is not there is not made. */
  void write(SidecarHome home) throws IOException {
    Map<String, String> values = new HashMap<>(home.settings());
    values.put(MODE, home.mode());
    Map<String, String> contents = new LinkedHashMap<>();
    for (Place place : PLACES) {
      String value = values.getOrDefault(place.setting(), place.unset());
      Path file = config.resolve(place.file());
      if (value != null && Files.exists(file)) {
        String content = contents.getOrDefault(place.file(), Files.readString(file));
        String line = "$1" + Matcher.quoteReplacement(place.written(value));
        contents.put(place.file(), place.line().matcher(content).replaceFirst(line));
      }
    }
    for (Map.Entry<String, String> setting : home.settings().entrySet()) {
      Matcher byFile = BY_FILE.matcher(setting.getKey());
      if (byFile.matches() && !isPlaced(setting.getKey())) {
        Path file = config.resolve(byFile.group(1));
        if (Files.exists(file)) {
          String content = contents.getOrDefault(byFile.group(1), Files.readString(file));
          contents.put(byFile.group(1), with(content, byFile, setting.getValue()));
        }
      }
    }
    for (var content : contents.entrySet()) {
      Path file = config.resolve(content.getKey());
      if (!Files.readString(file).equals(content.getValue())) {
        replace(file, content.getValue());
      }
    }
  }

  private static boolean isPlaced(String setting) {
    return PLACES.stream().anyMatch(place -> place.setting().equals(setting));
  }

  /** Returns the content with a key, which it may have already. */
  private static String with(String content, Matcher byFile, String value) {
    String table = byFile.group(2);
    String written = BARE.matcher(value).matches() ? value : "\"" + value + "\"";
    String line = byFile.group(3) + " = " + written + "\n";
    String header = table == null ? "" : "[" + table + "]\n";
    if (content.contains(header + line)) {
      return content;
    }
    int end = content.indexOf(header) + header.length();
    return content.contains(header)
        ? content.substring(0, end) + line + content.substring(end)
        : content + "\n" + header + line;
  }

  /**
   * Returns the node id by which peers know seid: the beginning of the digest of its public key.
   */
  String nodeId() {
    try {
      JsonNode file = new ObjectMapper().readTree(config.resolve("node_key.json").toFile());
      byte[] key = Base64.getDecoder().decode(file.at("/priv_key/value").asText());
      return Digests.sha256(Arrays.copyOfRange(key, key.length / 2, key.length), ID_BYTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a file as a whole. */
  static void replace(Path file, String text) throws IOException {
    Path whole = file.resolveSibling(file.getFileName() + "-new");
    Files.writeString(whole, text);
    Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
