package io.sei.operator.testkit;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Keys of overrides and how their values are read, as seen on seictl 0.0.50 to 0.0.70. The real
 * list is longer; a test that needs more adds it.
 */
final class ConfigKeys {

  private static final Set<String> NUMBERS =
      Set.of(
          "mempool.size",
          "network.p2p.send_rate",
          "network.p2p.recv_rate",
          "storage.state_commit.async_commit_buffer",
          SidecarHome.TRUST_HEIGHT,
          SidecarHome.BACKFILL_BLOCKS);

  private static final Set<String> NUMBERS_WITHOUT_SIGN =
      Set.of(
          "chain.min_retain_blocks",
          "network.p2p.max_connections",
          SidecarHome.SNAPSHOT_INTERVAL,
          "storage.snapshot_keep_recent",
          "storage.state_commit.memiavl.snapshot_keep_recent",
          "storage.state_commit.memiavl.snapshot_min_time_interval");

  private static final Set<String> FLAGS =
      Set.of(
          SidecarHome.STATE_STORE, SidecarHome.STATE_SYNC_ENABLE, SidecarHome.USE_LOCAL_SNAPSHOT);

  private static final Set<String> TEXTS =
      Set.of(
          "logging.level",
          "network.p2p.external_address",
          "network.p2p.listen_address",
          SidecarHome.PEERS,
          "storage.pruning_keep_recent",
          "storage.pruning_keep_every",
          SidecarHome.TRUST_HASH,
          SidecarHome.TX_INDEXER,
          SidecarHome.STATE_STORE_BACKEND);

  private static final Pattern NUMBER = Pattern.compile("\\s*([-+]?[0-9]+).*");
  private static final Pattern NUMBER_WITHOUT_SIGN = Pattern.compile("\\s*([0-9]+).*");

  private ConfigKeys() {}

  /** Returns whether a whole number belongs to a key. */
  static boolean isNumber(String key) {
    return NUMBERS.contains(key) || NUMBERS_WITHOUT_SIGN.contains(key);
  }

  /** The values as they are written; the first that cannot be read fails the task. */
  static Map<String, String> read(Map<String, String> overrides, String prefix) {
    var values = new TreeMap<String, String>();
    new TreeMap<>(overrides)
        .forEach(
            (key, value) -> {
              String start = prefix + "applying override \"%s\"=\"%s\": ".formatted(key, value);
              values.put(key, value(key, value, prefix, start));
            });
    return values;
  }

  private static String value(String key, String value, String prefix, String start) {
    if (NUMBERS.contains(key)) {
      return number(value, NUMBER, start);
    } else if (NUMBERS_WITHOUT_SIGN.contains(key)) {
      return number(value, NUMBER_WITHOUT_SIGN, start);
    } else if (FLAGS.contains(key)) {
      return flag(value, start);
    } else if (SidecarHome.TRUST_PERIOD.equals(key)) {
      checkDuration(value, start);
    } else if (SidecarHome.RPC_SERVERS.equals(key)) {
      return Arrays.stream(value.split(","))
          .map(String::trim)
          .filter(server -> !server.isEmpty())
          .collect(Collectors.joining(","));
    } else if (!TEXTS.contains(key)) {
      throw new TaskFailure(prefix + "unknown override key \"" + key + "\"");
    }
    return value;
  }

  /** Ignores characters after the digits: {@code 1e3} is 1. */
  private static String number(String value, Pattern pattern, String start) {
    Matcher number = pattern.matcher(value);
    if (!number.matches()) {
      throw new TaskFailure(start + (value.isEmpty() ? "EOF" : "expected integer"));
    }
    return number.group(1);
  }

  private static String flag(String value, String start) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes" -> "true";
      case "false", "0", "no" -> "false";
      default -> throw new TaskFailure(start + "invalid bool value: \"" + value + "\"");
    };
  }

  /** A value that is no duration fails the task. */
  static void checkDuration(String text, String start) {
    GoDuration.error(text)
        .ifPresent(
            error -> {
              throw new TaskFailure(start + "invalid duration \"%s\": %s".formatted(text, error));
            });
  }
}
