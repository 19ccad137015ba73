package io.sei.operator.testkit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Faults of a configuration, as seen on seictl 0.0.50 to 0.0.70: of the real rules those for the
 * mode and for state sync. A configuration that is found wrong is not written.
 */
final class ConfigFindings {

  static final Set<String> MODES = Set.of("validator", "full", "seed", "archive");
  private static final Pattern NO_HEX = Pattern.compile("[^0-9a-fA-F]");

  private final Map<String, String> messages = new LinkedHashMap<>();

  private ConfigFindings() {}

  static ConfigFindings of(SidecarHome home) {
    var findings = new ConfigFindings();
    if (!MODES.contains(home.mode())) {
      findings.add(
          "mode",
          "unknown mode \\\"%s\\\"; valid modes: validator, full, seed, archive"
              .formatted(home.mode()));
    }
    if (home.stateSyncEnabled()) {
      findings.checkStateSync(home);
    }
    return findings;
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  private void checkStateSync(SidecarHome home) {
    Map<String, String> settings = home.settings();
    if (settings.getOrDefault(SidecarHome.RPC_SERVERS, "").split(",").length < 2) {
      add(SidecarHome.RPC_SERVERS, "at least two RPC servers are required when not using P2P");
    }
    String period = home.trustPeriod();
    if (period.startsWith("-") || !period.matches(".*[1-9].*")) {
      add(SidecarHome.TRUST_PERIOD, "must be \\u003e 0 when state sync is enabled");
    }
    if (Long.parseLong(settings.getOrDefault(SidecarHome.TRUST_HEIGHT, "0")) <= 0) {
      add(SidecarHome.TRUST_HEIGHT, "must be \\u003e 0 when state sync is enabled");
    }
    checkHash(settings.getOrDefault(SidecarHome.TRUST_HASH, ""));
    if (Long.parseLong(settings.getOrDefault(SidecarHome.BACKFILL_BLOCKS, "0")) < 0) {
      add(SidecarHome.BACKFILL_BLOCKS, "must be \\u003e= 0");
    }
  }

  /** Any even number of digits will do. */
  private void checkHash(String hash) {
    Matcher odd = NO_HEX.matcher(hash);
    if (hash.isEmpty()) {
      add(SidecarHome.TRUST_HASH, "must be set when state sync is enabled");
    } else if (odd.find()) {
      int wrong = hash.codePointAt(odd.start());
      add(
          SidecarHome.TRUST_HASH,
          "invalid hex: encoding/hex: invalid byte: U+%04X '%c'".formatted(wrong, wrong));
    } else if (hash.length() % 2 != 0) {
      add(SidecarHome.TRUST_HASH, "invalid hex: encoding/hex: odd length hex string");
    }
  }

  private void add(String field, String message) {
    messages.put(field, message);
  }

  /** Returns the faults as the sidecar shows them, escaped in its way. */
  @Override
  public String toString() {
    return messages.entrySet().stream()
        .map(
            finding ->
                "{\"severity\":\"ERROR\",\"field\":\"%s\",\"message\":\"%s\"}"
                    .formatted(finding.getKey(), finding.getValue()))
        .collect(Collectors.joining(",", "[", "]"));
  }
}
