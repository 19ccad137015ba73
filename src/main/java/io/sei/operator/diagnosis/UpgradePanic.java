package io.sei.operator.diagnosis;

import io.sei.operator.api.v1alpha1.Upgrade;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The last words of a seid that disagrees with the chain about an upgrade, as {@code x/upgrade} of
 * the Cosmos SDK and of Sei's fork words them.
 *
 * <p>Best effort: Kubernetes keeps 4 KiB of a message, and only the last 2 KiB or 80 lines where
 * the log stands in for it, so that either end may be missing; in JSON logs the quotes are escaped.
 *
 * @param kind what the disagreement is
 * @param upgrade name of the upgrade; null if it was cut off
 * @param height height of the upgrade; null if it was cut off or is not part of the message
 */
public record UpgradePanic(Kind kind, String upgrade, Long height) {

  /** Kind of disagreement between binary and chain. */
  public enum Kind {
    /** {@code UPGRADE "name" NEEDED at height: N}: the chain is there, the binary is not. */
    NEEDED,
    /**
     * {@code BINARY UPDATED BEFORE TRIGGER! UPGRADE "name" - in binary but not executed on chain}:
     * the binary is there, the chain is not.
     */
    TOO_EARLY,
    /**
     * {@code Wrong app version N, upgrade handler is missing for name upgrade plan}. The source
     * says: "It'll panic in these cases if there is no upgrade handler registered for the last
     * applied upgrade." The image is behind its own data: the opposite of too early, and no halt
     * either, since the node has run past this height before.
     */
    UNKNOWN_TO_BINARY
  }

  private static final String QUOTED_NAME = "\\\\*\"(?<name>[^\"\\\\]+)\\\\*\"";

  // A name may be missing at the front and a height at the end; 18 digits always fit a long.
  private static final Pattern NEEDED =
      Pattern.compile(
          "(?:UPGRADE "
              + QUOTED_NAME
              + " NEEDED(?: at height:?\\s*(?<height>\\d{1,18}))?)"
              + "|(?:NEEDED at height:\\s*(?<bare>\\d{1,18}))");

  private static final Pattern TOO_EARLY =
      Pattern.compile("BINARY UPDATED BEFORE TRIGGER!?(?: UPGRADE " + QUOTED_NAME + ")?");

  private static final Pattern UNKNOWN_TO_BINARY =
      Pattern.compile(
          "(?:[Ww]rong app version \\d+, )?"
              + "upgrade handler is missing(?: for (?<name>.+?) upgrade plan)?");

  /**
   * Returns whether an entry of spec.upgrades is of this upgrade: by its name, or else its height.
   */
  public boolean isFor(Upgrade entry) {
    return upgrade == null ? entry.height().equals(height) : entry.name().equals(upgrade);
  }

  /**
   * The panic about an upgrade that a line of a log begins with. The rest of the line may be of any
   * author: the info of a plan is part of it.
   */
  public static Optional<UpgradePanic> of(String line) {
    return GoPanics.words(line).flatMap(words -> find(words, Matcher::lookingAt));
  }

  /**
   * The panic that the last words of a termination message tell of, for telling only: a panic tells
   * of what it begins with, another line, or what is left of one, of what it contains.
   */
  public static Optional<UpgradePanic> in(String terminationMessage) {
    if (terminationMessage == null) {
      return Optional.empty();
    }
    Optional<LastWords> words = LastWords.in(terminationMessage);
    return words.filter(candidate -> candidate.kind() == LastWords.Kind.PANIC).isPresent()
        ? of(words.get().line())
        : find(
            words.map(LastWords::line).orElseGet(() -> LastWords.lastLine(terminationMessage)),
            Matcher::find);
  }

  private static Optional<UpgradePanic> find(String line, Predicate<Matcher> how) {
    Matcher tooEarly = TOO_EARLY.matcher(line);
    if (how.test(tooEarly)) {
      return Optional.of(new UpgradePanic(Kind.TOO_EARLY, tooEarly.group("name"), null));
    }
    Matcher unknown = UNKNOWN_TO_BINARY.matcher(line);
    if (how.test(unknown)) {
      return Optional.of(new UpgradePanic(Kind.UNKNOWN_TO_BINARY, unknown.group("name"), null));
    }
    Matcher needed = NEEDED.matcher(line);
    if (how.test(needed)) {
      String height =
          needed.group("height") == null ? needed.group("bare") : needed.group("height");
      return Optional.of(
          new UpgradePanic(
              Kind.NEEDED, needed.group("name"), height == null ? null : Long.valueOf(height)));
    }
    return Optional.empty();
  }

  /** The upgrade for a human, such as {@code upgrade "v6" at height 100}. */
  @Override
  public String toString() {
    String name = upgrade == null ? "an upgrade" : "upgrade \"" + upgrade + "\"";
    return height == null ? name : name + " at height " + height;
  }
}
