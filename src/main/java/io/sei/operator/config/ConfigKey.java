package io.sei.operator.config;

/**
 * One setting of the operator, and all there is to say about it.
 *
 * @param concern the part of the operator it belongs to, which is also its section in the reference
 * @param name the environment variable
 * @param fileKey the key in the settings file, such as {@code images.sidecar}; empty if it has none
 * @param type how its text is read
 * @param defaultText the text that stands in when it is set nowhere, or to nothing
 * @param doc one sentence for the reference
 */
public record ConfigKey<T>(
    Concern concern,
    String name,
    String fileKey,
    ConfigType<T> type,
    String defaultText,
    String doc) {

  /** A setting that the settings file does not have. */
  ConfigKey(Concern concern, String name, ConfigType<T> type, String defaultText, String doc) {
    this(concern, name, "", type, defaultText, doc);
  }

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
   * @throws ConfigException if it is set to a text that is not allowed
   */
  T read(Settings settings) {
    var text = settings.find(this).orElse(new Settings.Text(name, defaultText));
    return type.parser()
        .apply(text.value())
        .orElseThrow(() -> new ConfigException(text.place(), text.value(), type.allowed()));
  }
}
