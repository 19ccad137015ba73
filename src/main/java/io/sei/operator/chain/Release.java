package io.sei.operator.chain;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * PURE: changes of a release of seid that concern its operators.
 *
 * @param released day of the release, empty if it is not known
 * @param source page or commit that says so
 * @param plan name of the upgrade of x/upgrade that needs this release; null if none does
 * @param heights heights of that upgrade by chain, as far as they are known
 * @param ports servers that are new or gone
 * @param settings flags and keys of the files of seid that are new, gone or changed
 * @param minimumSidecar the oldest sidecar that works with it; null if every one does
 * @param migrations changes of the data for which there is no way back
 * @param freeze advice about spec.fullNode.freeze; the first release with one is the first that can
 *     freeze
 * @param stateSync advice about state sync
 * @param notes other advice
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Release(
    SeidVersion version,
    String released,
    String source,
    String plan,
    Map<String, Long> heights,
    List<Port> ports,
    List<Setting> settings,
    String minimumSidecar,
    List<Migration> migrations,
    String freeze,
    String stateSync,
    List<String> notes) {

  /** Effect of a release on a server, flag or key. */
  public enum Change {
    /** seid has it since this release. */
    @JsonProperty("Added")
    ADDED,
    /** seid does not have it any more, and may not start with it. */
    @JsonProperty("Removed")
    REMOVED,
    /** seid starts with it, and does not read it any more. */
    @JsonProperty("Ignored")
    IGNORED,
    /** seid does not start without it. */
    @JsonProperty("Required")
    REQUIRED,
    /** It has another default. */
    @JsonProperty("Default")
    DEFAULT
  }

  /**
   * A server of seid.
   *
   * @param number its TCP port
   */
  public record Port(Integer number, String name, Change change, String note) {
    /** Checks the fields. */
    public Port {
      require(number != null && number > 0 && number < 65536, "number must be a port");
      require(name != null, "name is missing");
      require(
          change == Change.ADDED || change == Change.REMOVED,
          "change of a port must be Added or Removed");
    }

    /** Describes the change, without the note. */
    public String describe() {
      return "port %d (%s) is %s".formatted(number, name, change == Change.ADDED ? "new" : "gone");
    }
  }

  /**
   * A flag or a key.
   *
   * @param in the file, or {@link #COMMAND_LINE}
   * @param name the key, after its section and a dot; a section by its name
   * @param value the default, or the value that is required; null if any is
   */
  public record Setting(String in, String name, Change change, String value, String note) {

    /** Place of flags of {@code seid start}. */
    public static final String COMMAND_LINE = "command line";

    private static final List<String> PLACES =
        List.of("app.toml", "config.toml", "client.toml", COMMAND_LINE);

    /** Checks the fields. */
    public Setting {
      require(PLACES.contains(in), "in must be one of " + String.join(", ", PLACES));
      require(name != null, "name is missing");
      require(change != null, "change is missing");
      require(change != Change.DEFAULT || value != null, "value of a default is missing");
    }

    /** Describes the change, without the note. */
    public String describe() {
      String setting = in.equals(COMMAND_LINE) ? name : name + " of " + in;
      return switch (change) {
        case ADDED -> setting + " is new" + (value == null ? "" : ", " + value + " by default");
        case REMOVED -> setting + " is gone";
        case IGNORED -> setting + " is no longer read";
        case REQUIRED -> setting + " must be " + (value == null ? "set" : value);
        case DEFAULT -> setting + " is " + value + " by default";
      };
    }
  }

  /**
   * A change of the data.
   *
   * @param begins the event that starts it
   * @param duration how long it takes; null if that is not known
   * @param disk how much more disk it takes; null if that is not known
   */
  public record Migration(String name, String begins, String duration, String disk, String note) {
    /** Checks the fields. */
    public Migration {
      require(name != null, "name is missing");
    }
  }

  /** Checks the fields, and makes missing lists empty. */
  public Release {
    require(version != null, "version is missing");
    require(source != null && source.startsWith("https://"), "source must be an https:// URL");
    heights = heights == null ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(heights));
    ports = copy(ports);
    settings = copy(settings);
    migrations = copy(migrations);
    notes = copy(notes);
    require(plan != null || heights.isEmpty(), "heights need a plan");
    require(
        heights.keySet().stream().allMatch(chain -> chain.matches("[A-Za-z0-9._-]{1,64}")),
        "heights are by chain id");
    require(heights.values().stream().allMatch(height -> height > 0), "heights must be above 0");
  }

  private static <T> List<T> copy(List<T> items) {
    return items == null ? List.of() : List.copyOf(items);
  }

  static void require(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(rule);
    }
  }
}
