package io.sei.operator.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One setting of the operator, and all there is to say about it; {@code settings.txt} lists them.
 *
 * @param section the heading it has in the reference
 * @param name the environment variable
 * @param fileKey the key in the settings file, such as {@code images.sidecar}; empty if it has none
 * @param optional whether an empty text is an absent value
 * @param defaultText the text that stands in when it is set nowhere, or to nothing
 * @param doc one sentence for the reference
 */
public record ConfigKey(
    String section,
    String name,
    String fileKey,
    ConfigType type,
    boolean optional,
    String defaultText,
    String doc) {

  private static final List<ConfigKey> ALL = List.copyOf(readTable());

  /** Every setting, in the order of the reference. */
  public static List<ConfigKey> all() {
    return ALL;
  }

  /** Accepted values, in words that complete "must be". */
  public String allowed() {
    return optional ? type.allowed() + ", or empty" : type.allowed();
  }

  /**
   * The value of a text; an Optional if the setting is optional.
   *
   * @param place where the text stands
   * @throws ConfigException if it is not allowed
   */
  Object parse(String place, String text) {
    if (optional && text.isEmpty()) {
      return Optional.empty();
    }
    Object value = type.parse(text).orElseThrow(() -> new ConfigException(place, text, allowed()));
    return optional ? Optional.of(value) : value;
  }

  private static List<ConfigKey> readTable() {
    var keys = new ArrayList<ConfigKey>();
    String section = "";
    for (String line : table().split("\n")) {
      if (line.startsWith("## ")) {
        section = line.substring(3);
      } else if (!line.isBlank() && !line.startsWith("#")) {
        keys.add(of(section, line.split("\\s*\\|\\s*")));
      }
    }
    return keys;
  }

  private static ConfigKey of(String section, String[] columns) {
    boolean optional = columns[2].endsWith("?");
    String type = columns[2].replace("?", "").replace('-', '_').toUpperCase(Locale.ROOT);
    return new ConfigKey(
        section,
        columns[0],
        columns[1],
        ConfigType.valueOf(type),
        optional,
        columns[3],
        columns[4]);
  }

  private static String table() {
    try (var resource = ConfigKey.class.getResourceAsStream("settings.txt")) {
      return new String(resource.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
