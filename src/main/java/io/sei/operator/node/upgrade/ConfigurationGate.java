package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.UpgradeConfiguration;
import io.sei.operator.api.v1alpha1.UpgradeConfiguration.State;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.Release.Change;
import io.sei.operator.chain.Release.Setting;
import io.sei.operator.chain.Releases;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.render.GatedFile;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * PURE: keys that the releases up to that of an upgrade require or remove, and what becomes of the
 * node's files by them.
 *
 * @param upgrade the upgrade, whose image is where the node runs
 * @param settings required and removed keys of the files, the last word of each
 */
record ConfigurationGate(UpgradeStatus upgrade, List<Setting> settings) {

  /** Compares again as often as the image is pulled; sooner after a finding, which heals. */
  private static final Duration AFTER_FINDING = Duration.ofMinutes(10);

  /**
   * Returns the gate of an upgrade.
   *
   * @param running version that the node runs; nothing is compared while one of both is unknown
   */
  static ConfigurationGate of(
      UpgradeStatus upgrade, Optional<SeidVersion> running, Releases releases) {
    Optional<SeidVersion> next = new UpgradeImage(upgrade, releases, false).version();
    if (running.isEmpty() || next.isEmpty()) {
      return new ConfigurationGate(upgrade, List.of());
    }
    Map<String, Setting> last =
        releases.between(running.get(), next.get()).stream()
            .flatMap(release -> release.settings().stream())
            .filter(setting -> !setting.in().equals(Setting.COMMAND_LINE))
            .collect(
                Collectors.toMap(
                    setting -> setting.in() + " " + setting.name(),
                    setting -> setting,
                    (earlier, later) -> later,
                    TreeMap::new));
    return new ConfigurationGate(
        upgrade,
        last.values().stream()
            .filter(
                setting ->
                    setting.change() == Change.REQUIRED || setting.change() == Change.REMOVED)
            .toList());
  }

  /**
   * Returns the time until the files are to be compared; zero if they are now.
   *
   * @param readySince when the pod became Ready by the clock of its machine, with files that may be
   *     others than before
   */
  Optional<Duration> due(Instant now, Instant readySince) {
    if (settings.isEmpty() || upgrade.pulledAt() == null) {
      return Optional.empty();
    }
    UpgradeConfiguration known = upgrade.configuration();
    if (known == null || known.checkedAt().isBefore(upgrade.pulledAt())) {
      return Optional.of(Duration.ZERO);
    }
    if (known.checkedAt().isBefore(readySince)) {
      return Optional.of(until(readySince, now));
    }
    return known.state() == State.ACCEPTED
        ? Optional.empty()
        : Optional.of(until(known.checkedAt().plus(AFTER_FINDING), now));
  }

  private static Duration until(Instant time, Instant now) {
    Duration left = Duration.between(now, time);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** The files to look into, each with its keys. */
  List<GatedFile> files() {
    return settings.stream()
        .collect(
            Collectors.groupingBy(
                Setting::in, TreeMap::new, Collectors.mapping(Setting::name, Collectors.toList())))
        .entrySet()
        .stream()
        .map(file -> new GatedFile(file.getKey(), file.getValue()))
        .toList();
  }

  /**
   * Judges the answers of the files.
   *
   * @param answers by file; empty if it is not on the volume
   */
  UpgradeConfiguration judge(Map<String, Optional<String>> answers, Instant now) {
    var problems = new ArrayList<String>();
    for (GatedFile file : files()) {
      Optional<String> answer = answers.getOrDefault(file.name(), Optional.empty());
      if (answer.isEmpty()) {
        String missing =
            "%s is not on the volume, or is no file; put it back while kubectl sei hold keeps seid down: a restart alone does not write it"
                .formatted(file.name());
        return new UpgradeConfiguration(State.FILE_MISSING, missing, now);
      }
      String found = answer.get();
      int length = GatedFile.FOUND.length() + file.keys().size();
      if (found.length() != length || !found.matches(GatedFile.FOUND + "[01]+")) {
        String unread = "%s cannot be read by the running image".formatted(file.name());
        return new UpgradeConfiguration(State.UNCHECKED, unread, now);
      }
      for (int key = 0; key < file.keys().size(); key++) {
        boolean isThere = found.charAt(GatedFile.FOUND.length() + key) == '1';
        problem(file.name(), file.keys().get(key), isThere).ifPresent(problems::add);
      }
    }
    return problems.isEmpty()
        ? new UpgradeConfiguration(State.ACCEPTED, null, now)
        : new UpgradeConfiguration(State.REFUSED, String.join("; ", problems), now);
  }

  private Optional<String> problem(String file, String key, boolean isThere) {
    Setting setting =
        settings.stream()
            .filter(candidate -> candidate.in().equals(file) && candidate.name().equals(key))
            .findFirst()
            .orElseThrow();
    String note = setting.note() == null ? "" : " (" + setting.note() + ")";
    if (setting.change() == Change.REMOVED && isThere) {
      return Optional.of(
          "%s has %s, with which seid does not start%s; remove it".formatted(file, key, note));
    }
    if (setting.change() == Change.REQUIRED && !isThere) {
      String value = setting.value() == null ? "" : " to " + setting.value();
      return Optional.of(
          "%s lacks %s, without which seid does not start%s; set it%s in spec.configValues"
              .formatted(file, key, note, value));
    }
    return Optional.empty();
  }
}
