package io.sei.operator.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is set from outside, as text. The settings file takes precedence over the environment, as it
 * does in the Go operator.
 */
final class Settings {
  private final Map<String, String> environment;
  private final Optional<SettingsFile> file;

  private Settings(Map<String, String> environment, Optional<SettingsFile> file) {
    this.environment = environment;
    this.file = file;
  }

  /**
   * The environment, and the settings file if it names one.
   *
   * @throws ConfigException if that file cannot be used
   */
  static Settings read(Map<String, String> environment) {
    var key = ConfigKeys.CONTROLLER_CONFIG;
    var path = key.read(new Settings(environment, Optional.empty()));
    return new Settings(environment, path.map(it -> SettingsFile.read(key.name(), it)));
  }

  /**
   * A text and where it stands.
   *
   * @param place the variable, or the file and the key in it
   */
  record Text(String place, String value) {}

  /** What is set for a key; empty if nothing is. */
  Optional<Text> find(ConfigKey<?> key) {
    return inFile(key)
        .map(value -> new Text(file.orElseThrow().place(key.fileKey()), value))
        .or(() -> inEnvironment(key).map(value -> new Text(key.name(), value)));
  }

  /** What is set and has no effect, in lines for the log. */
  List<String> warnings() {
    var warnings = new ArrayList<String>();
    file.ifPresent(
        it -> {
          var others = it.others(ConfigKeys.inFile());
          if (!others.isEmpty()) {
            warnings.add(
                "Ignoring unknown keys in %s: %s".formatted(it.path(), String.join(", ", others)));
          }
          var overridden =
              ConfigKeys.all().stream().filter(this::isOverridden).map(ConfigKey::name).toList();
          if (!overridden.isEmpty()) {
            warnings.add(
                "Ignoring variables that %s overrides: %s"
                    .formatted(it.path(), String.join(", ", overridden)));
          }
        });
    return List.copyOf(warnings);
  }

  private boolean isOverridden(ConfigKey<?> key) {
    var variable = inEnvironment(key);
    return variable.isPresent() && inFile(key).isPresent() && !variable.equals(inFile(key));
  }

  private Optional<String> inFile(ConfigKey<?> key) {
    return key.fileKey().isEmpty() ? Optional.empty() : file.flatMap(it -> it.find(key.fileKey()));
  }

  /** A manifest that sets a variable to "" means what one that leaves it out means. */
  private Optional<String> inEnvironment(ConfigKey<?> key) {
    return Optional.ofNullable(environment.get(key.name()))
        .filter(text -> !text.isBlank())
        .map(String::trim);
  }
}
