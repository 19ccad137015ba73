package io.sei.operator.testkit;

import java.util.Map;

/**
 * Carries out {@code config-apply} and {@code config-validate}, as seen on seictl 0.0.50 to 0.0.70.
 */
final class ConfigWork {

  private static final String INVALID = "config validation failed: ";

  private ConfigWork() {}

  static SidecarHome apply(SidecarVersion version, TaskParams params, SidecarHome home) {
    String mode = params.text("mode", "seiconfig.NodeMode");
    Map<String, String> overrides = params.textsByKey("overrides");
    SidecarHome next =
        params.flag("incremental")
            ? change(version, mode, overrides, home)
            : renew(mode, overrides, home);
    ConfigFindings findings = ConfigFindings.of(next);
    if (!findings.isEmpty()) {
      throw new TaskFailure(INVALID + findings);
    }
    return next;
  }

  /** Peers and state sync are back to their defaults unless the overrides have them. */
  private static SidecarHome renew(String mode, Map<String, String> overrides, SidecarHome home) {
    if (mode.isEmpty()) {
      throw new TaskFailure("config-apply: mode is required for non-incremental config resolution");
    }
    if (!ConfigFindings.MODES.contains(mode)) {
      throw new TaskFailure("config-apply: invalid mode \"" + mode + "\"");
    }
    return home.configured(mode, ConfigKeys.read(overrides, "config-apply: applying overrides: "));
  }

  private static SidecarHome change(
      SidecarVersion version, String mode, Map<String, String> overrides, SidecarHome home) {
    String prefix = "config-apply incremental: ";
    read(version, prefix + "reading current config: ", home);
    SidecarHome merged =
        home.with(ConfigKeys.read(overrides, prefix + "applying incremental overrides: "));
    return merged.configured(mode.isEmpty() ? home.mode() : mode, merged.settings());
  }

  /** Neither missing peers nor a state sync that was lost is noticed. */
  static SidecarHome validate(SidecarVersion version, SidecarHome home) {
    read(version, "config-validate: reading config: ", home);
    ConfigFindings findings = ConfigFindings.of(home);
    if (!findings.isEmpty()) {
      throw new TaskFailure(
          "%s{\"valid\":false,\"version\":%d,\"mode\":\"%s\",\"diagnostics\":%s}"
              .formatted(INVALID, version.configVersion(), home.mode(), findings));
    }
    return home;
  }

  private static void read(SidecarVersion version, String prefix, SidecarHome home) {
    if (!home.appToml()) {
      String file = "/sei/config/app.toml";
      throw new TaskFailure(
          prefix + "reading " + file + ": open " + file + ": no such file or directory");
    }
    ConfigPatch.fileWithFraction(home.settings())
        .filter(file -> !version.readsFractions())
        .ifPresent(
            file -> {
              throw new TaskFailure(
                  prefix
                      + "reading /sei/config/%s: toml: incompatible types: TOML value has type"
                          .formatted(file)
                      + " float64; destination has type integer");
            });
    ConfigKeys.checkDuration(home.trustPeriod(), prefix);
  }
}
