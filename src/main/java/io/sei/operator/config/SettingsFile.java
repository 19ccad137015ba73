package io.sei.operator.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sei.operator.base.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The YAML file of settings. Keys are written with dots here, such as {@code images.sidecar}; case
 * does not matter.
 */
final class SettingsFile {

  /** The variable that names the file. */
  static final String VARIABLE = "SEI_CONTROLLER_CONFIG";

  /** No file. */
  static final SettingsFile NONE = new SettingsFile(Path.of(""), MissingNode.getInstance());

  private final Path path;

  /** All that is not null, sections included. */
  private final Map<String, JsonNode> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  private SettingsFile(Path path, JsonNode root) {
    this.path = path;
    collect("", root);
  }

  /**
   * Reads the file; an empty one has no keys.
   *
   * @throws ConfigException if there is no such file, or it is not a mapping in YAML
   */
  static SettingsFile read(Path path) {
    try {
      var yaml = Json.yaml().reader().with(StreamReadFeature.STRICT_DUPLICATE_DETECTION);
      var root = yaml.readTree(Files.readString(path));
      if (!root.isObject() && !root.isMissingNode() && !root.isNull()) {
        throw new ConfigException(VARIABLE, path.toString(), "a file with a YAML mapping");
      }
      return new SettingsFile(path, root);
    } catch (JsonProcessingException e) {
      var fault = e.getOriginalMessage().lines().findFirst().orElse("");
      throw new ConfigException(
          VARIABLE,
          path.toString(),
          "a file with valid YAML; line %d: %s"
              .formatted(e.getLocation().getLineNr(), ConfigException.printable(fault)));
    } catch (IOException e) {
      throw new ConfigException(VARIABLE, path.toString(), "a file that exists and can be read");
    }
  }

  private void collect(String above, JsonNode mapping) {
    for (Map.Entry<String, JsonNode> entry : mapping.properties()) {
      if (!entry.getValue().isNull()) {
        values.put(above + entry.getKey(), entry.getValue());
        collect(above + entry.getKey() + ".", entry.getValue());
      }
    }
  }

  /**
   * The text that a key has; empty if the file does not set it, or sets it to nothing.
   *
   * @param key a section and a key in it; an empty one is never set
   * @throws ConfigException if there is a list or a mapping instead, or no section where the key
   *     would be
   */
  Optional<String> find(String key) {
    String section = key.replaceFirst("\\..*", "");
    JsonNode above = values.get(section);
    if (above != null && !above.isObject()) {
      throw new ConfigException(place(section), text(above), "a mapping");
    }
    JsonNode value = values.get(key);
    if (value == null || value.isEmpty() && value.isObject()) {
      return Optional.empty();
    }
    if (value.isContainerNode()) {
      throw new ConfigException(
          place(key), value.isObject() ? "{...}" : text(value), "a single value");
    }
    return Optional.of(text(value).trim()).filter(text -> !text.isEmpty());
  }

  /** Keys that the file sets and that are none of these, as they are written, in order. */
  List<String> others(Set<String> known) {
    return values.entrySet().stream()
        .filter(entry -> !entry.getValue().isObject())
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

  private static String text(JsonNode value) {
    return value.isContainerNode() ? value.toString() : value.asText();
  }
}
