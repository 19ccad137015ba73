package io.sei.operator.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The values of all settings. The settings file takes precedence over the environment. */
final class Settings {
  private final Map<String, Object> values = new HashMap<>();
  private final List<String> warnings = new ArrayList<>();

  /**
   * Reads the environment, and the settings file if it names one.
   *
   * @throws ConfigException if that file cannot be used, and for the first setting that is not
   *     allowed
   */
  Settings(Map<String, String> environment) {
    SettingsFile file = file(environment);
    var overridden = new ArrayList<String>();
    for (ConfigKey key : ConfigKey.all()) {
      Optional<String> variable = variable(environment, key);
      Optional<String> inFile = file.find(key.fileKey());
      values.put(
          key.name(),
          key.parse(
              inFile.isPresent() ? file.place(key.fileKey()) : key.name(),
              inFile.or(() -> variable).orElse(key.defaultText())));
      if (inFile.isPresent() && variable.isPresent() && !variable.equals(inFile)) {
        overridden.add(key.name());
      }
    }
    Set<String> known =
        ConfigKey.all().stream().map(ConfigKey::fileKey).collect(Collectors.toSet());
    warn("Ignoring unknown keys in %s: ".formatted(file.path()), file.others(known));
    warn("Ignoring variables that %s overrides: ".formatted(file.path()), overridden);
  }

  /** The value of a variable, of the type its setting has. */
  @SuppressWarnings("unchecked")
  <T> T get(String name) {
    return (T) Objects.requireNonNull(values.get(name), name);
  }

  /** Warnings for the log about settings without effect, one per line. */
  List<String> warnings() {
    return List.copyOf(warnings);
  }

  private void warn(String words, List<String> names) {
    if (!names.isEmpty()) {
      warnings.add(words + String.join(", ", names));
    }
  }

  @SuppressWarnings("unchecked")
  private static SettingsFile file(Map<String, String> environment) {
    return ConfigKey.all().stream()
        .filter(key -> key.name().equals(SettingsFile.VARIABLE))
        .map(key -> key.parse(key.name(), variable(environment, key).orElse("")))
        .flatMap(path -> ((Optional<Path>) path).stream())
        .findFirst()
        .map(SettingsFile::read)
        .orElse(SettingsFile.NONE);
  }

  /** A manifest that sets a variable to "" means what one that leaves it out means. */
  private static Optional<String> variable(Map<String, String> environment, ConfigKey key) {
    return Optional.ofNullable(environment.get(key.name()))
        .filter(text -> !text.isBlank())
        .map(String::trim);
  }
}
