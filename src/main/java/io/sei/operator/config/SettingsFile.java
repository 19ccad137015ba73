package io.sei.operator.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The YAML file that Go operators read their settings from since 12 June 2026. Keys are written
 * with dots here, such as {@code images.sidecar}; case does not matter, as it does not to the Go
 * operator.
 */
final class SettingsFile {
  private final Path path;
  private final Map<String, JsonNode> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  private SettingsFile(Path path, JsonNode root) {
    this.path = path;
    collect("", root);
  }

  /**
   * Reads the file; an empty one has no keys.
   *
   * @param name the variable that names the file
   * @throws ConfigException if there is no such file, or it is not a mapping in YAML
   */
  static SettingsFile read(String name, Path path) {
    try {
      var yaml = new YAMLMapper().reader().with(StreamReadFeature.STRICT_DUPLICATE_DETECTION);
      var root = yaml.readTree(Files.readString(path));
      if (!root.isObject() && !root.isMissingNode() && !root.isNull()) {
        throw new ConfigException(name, path.toString(), "a file with a YAML mapping");
      }
      return new SettingsFile(path, root);
    } catch (JsonProcessingException e) {
      var fault = e.getOriginalMessage().lines().findFirst().orElse("");
      throw new ConfigException(
          name,
          path.toString(),
          "a file with valid YAML; line %d: %s"
              .formatted(e.getLocation().getLineNr(), ConfigException.printable(fault)));
    } catch (IOException e) {
      throw new ConfigException(name, path.toString(), "a file that exists and can be read");
    }
  }

  private void collect(String above, JsonNode mapping) {
    mapping
        .properties()
        .forEach(
            entry -> {
              var key = above + entry.getKey();
              if (entry.getValue().isObject()) {
                collect(key + ".", entry.getValue());
              } else {
                values.put(key, entry.getValue());
              }
            });
  }

  /**
   * The text that a key has; empty if the file does not set it, or sets it to nothing.
   *
   * @throws ConfigException if there is a list or a mapping instead, or no section where the key
   *     would be
   */
  Optional<String> find(String key) {
    var section = key.substring(0, key.indexOf('.'));
    value(section)
        .ifPresent(
            value -> {
              throw new ConfigException(place(section), text(value), "a mapping");
            });
    values.keySet().stream()
        .filter(found -> isBelow(found, key))
        .findFirst()
        .ifPresent(
            found -> {
              throw new ConfigException(place(key), "{...}", "a single value");
            });
    var value = value(key);
    if (value.filter(JsonNode::isContainerNode).isPresent()) {
      throw new ConfigException(place(key), text(value.get()), "a single value");
    }
    return value.map(SettingsFile::text).filter(text -> !text.isBlank()).map(String::trim);
  }

  /** Keys that the file sets and that are none of these, as they are written, in order. */
  List<String> others(Set<String> known) {
    return values.entrySet().stream()
        .filter(entry -> !entry.getValue().isNull())
        .map(Map.Entry::getKey)
        .filter(key -> known.stream().noneMatch(key::equalsIgnoreCase))
        .map(ConfigException::printable)
        .toList();
  }

  /** Names a key in messages. */
  String place(String key) {
    return path + ": " + key;
  }

  Path path() {
    return path;
  }

  private Optional<JsonNode> value(String key) {
    return Optional.ofNullable(values.get(key)).filter(value -> !value.isNull());
  }

  private static String text(JsonNode value) {
    return value.isContainerNode() ? value.toString() : value.asText();
  }

  private static boolean isBelow(String key, String above) {
    return key.regionMatches(true, 0, above + ".", 0, above.length() + 1);
  }
}
