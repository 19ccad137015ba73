package io.sei.operator.chain;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PURE: version of seid, as its RPC reports it in {@code abci_info} and as tags of its images name
 * it.
 *
 * @param suffix what follows the number, such as rc2; empty for a release
 */
public record SeidVersion(int major, int minor, int patch, String suffix) {

  private static final Pattern VERSION =
      Pattern.compile("v?(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4})(?:[-+]([0-9A-Za-z.+_-]{1,64}))?");

  /** Orders by number: a release candidate has what its release has. */
  public static final Comparator<SeidVersion> BY_NUMBER =
      Comparator.comparingInt(SeidVersion::major)
          .thenComparingInt(SeidVersion::minor)
          .thenComparingInt(SeidVersion::patch);

  /**
   * Parses a version such as v6.8.0 or v6.8.0-rc2; empty for anything else, such as a branch name.
   */
  public static Optional<SeidVersion> parse(String text) {
    Matcher version = VERSION.matcher(text);
    if (!version.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new SeidVersion(
            Integer.parseInt(version.group(1)),
            Integer.parseInt(version.group(2)),
            Integer.parseInt(version.group(3)),
            version.group(4) == null ? "" : version.group(4)));
  }

  /** Reads the version that the tag of an image names; empty if it names none, or is null. */
  public static Optional<SeidVersion> ofImage(String image) {
    return parse(tag(image));
  }

  /** Returns the tag of an image; empty if there is none. An upgrade may have no image (null). */
  static String tag(String image) {
    if (image == null) {
      return "";
    }
    int digest = image.indexOf('@');
    String tagged = digest < 0 ? image : image.substring(0, digest);
    return tagged.substring(tagged.lastIndexOf('/') + 1).replaceFirst("^[^:]*:?", "");
  }

  /**
   * Reads the version of a release.
   *
   * @throws IllegalArgumentException if the text is not one
   */
  @JsonCreator
  static SeidVersion ofRelease(String text) {
    return parse(text)
        .filter(version -> version.suffix().isEmpty())
        .orElseThrow(() -> new IllegalArgumentException("must be a version such as v6.8.0"));
  }

  /** Returns whether the number of this version is below that of another. */
  public boolean isBefore(SeidVersion other) {
    return BY_NUMBER.compare(this, other) < 0;
  }

  /** Returns whether another version differs in its patch number only. */
  boolean isPatchOf(SeidVersion other) {
    return major == other.major() && minor == other.minor();
  }

  @JsonValue
  @Override
  public String toString() {
    return "v%d.%d.%d%s".formatted(major, minor, patch, suffix.isEmpty() ? "" : "-" + suffix);
  }
}
