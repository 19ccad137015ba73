package io.sei.operator.config;

import java.util.Map;

/**
 * One setting of the operator, and all there is to say about it.
 *
 * @param concern the part of the operator it belongs to, which is also its section in the reference
 * @param name the environment variable
 * @param type how its text is read
 * @param defaultText the text that stands in when the variable is unset or blank
 * @param doc one sentence for the reference
 */
public record ConfigKey<T>(
    Concern concern, String name, ConfigType<T> type, String defaultText, String doc) {

  /** The sections of the reference, in its order. */
  public enum Concern {
    PROCESS("The operator process"),
    LEADER_ELECTION("Leader election"),
    SIDECAR("The sidecar"),
    POD("Node pods"),
    STORAGE("Node storage"),
    BUCKETS("Object storage"),
    NETWORK("Networking");

    private final String title;

    Concern(String title) {
      this.title = title;
    }

    /** The section's heading. */
    public String title() {
      return title;
    }
  }

  /**
   * The value of this setting.
   *
   * @throws ConfigException if the environment holds a text that is not allowed
   */
  public T read(Map<String, String> environment) {
    var raw = environment.get(name);
    // A manifest that sets a variable to "" means what one that leaves it out means.
    var text = raw == null || raw.isBlank() ? defaultText : raw.trim();
    return type.parser()
        .apply(text)
        .orElseThrow(() -> new ConfigException(name, text, type.allowed()));
  }
}
