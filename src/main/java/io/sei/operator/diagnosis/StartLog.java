package io.sei.operator.diagnosis;

import io.sei.operator.base.Text;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * PURE: what a seid that starts is busy with, and how far it is, by its log. Of the lines that say
 * so the last one counts. A line is found in each of seid's formats: slog's text, JSON, and the
 * console of zerolog.
 *
 * <p>The sources are files of sei-chain, as in v6.3.0 and in v6.4.0 to v6.6.2, which name values
 * apart from the message.
 */
public enum StartLog {
  /** sei-tendermint/internal/consensus/replay.go, replayBlocks. */
  REPLAYS("Applying block\\b", "it replays blocks, at height %s", "height"),
  /** ReplayBlocks of the consensus package: before the first replayed block, if there is one. */
  COMPARES_HEIGHTS("ABCI Replay Blocks\\b", "it replays blocks up to height %s", "storeHeight"),
  /** sei-tendermint/internal/statesync/syncer.go, SyncAny. */
  LOOKS_FOR_SNAPSHOTS(
      "(?:[Dd]iscovering snapshots|[Nn]o snapshots discovered)\\b",
      "it asks its peers for a snapshot"),
  /** offerSnapshot of the state sync package. */
  RESTORES(
      "(?:Offering snapshot to ABCI app|Snapshot accepted, restoring)",
      "it restores the state of height %s",
      "height"),
  /** applyChunks of the state sync package; chunks are counted from 0. */
  RESTORES_CHUNKS(
      "Applied snapshot chunk to ABCI app",
      "it restores the state of height %s, chunk %s of %s",
      "height",
      "chunk",
      "total"),
  /** sei-cosmos/x/upgrade/abci.go, applyUpgrade. */
  UPGRADES(
      "applying upgrade(?: \\\\?\"([^\"\\\\]{1,100})\\\\?\" at|\\b.{0,200}\\bname\"?[=:]"
          + " ?\"?([^\"\\s]{1,100}))",
      "it applies upgrade \"%s\""),
  /** sei-cosmos/types/module/configurator.go, runModuleMigrations. */
  MIGRATES(
      "migrating module (?:(\\S{1,100}) from version \\d|from version to"
          + " version\\b.{0,200}\\bmodule\"?[=:] ?\"?([^\"\\s]{1,100}))",
      "it migrates the data of module %s");

  /** A recognised line with its values. */
  record Told(StartLog kind, List<String> values) {

    String words() {
      return kind.words.formatted(values.toArray());
    }
  }

  private static final int MAX_LINE = 200;

  /** Number of characters of a line that are matched. */
  private static final int MAX_LOOKED_AT = 4096;

  private static final String KEYED = "\\b%s\"?[=:] ?\"?(\\d{1,19})\\b";

  private final Pattern line;
  private final String words;
  private final List<Pattern> fields;

  StartLog(String line, String words, String... fields) {
    this.line = Pattern.compile(line);
    this.words = words;
    this.fields = Stream.of(fields).map(field -> Pattern.compile(KEYED.formatted(field))).toList();
  }

  /**
   * Describes the activity at the end of a log in a few words; returns its last line where none is
   * recognised.
   */
  public static String busyWith(String log) {
    List<String> lines = log.lines().filter(text -> !text.isBlank()).toList();
    return last(lines, List.of(values()))
        .map(present -> present.kind() == REPLAYS ? present.words() + upTo(lines) : present.words())
        .orElseGet(
            () ->
                lines.isEmpty()
                    ? "its log is empty"
                    : "its log ends with \"" + Text.line(lines.getLast(), MAX_LINE) + "\"");
  }

  /** Returns the end of a replay, which is logged before it begins and may be out of sight. */
  private static String upTo(List<String> lines) {
    return last(lines, List.of(COMPARES_HEIGHTS))
        .flatMap(present -> present.values().stream().findFirst())
        .map(text -> " of " + text)
        .orElse("");
  }

  private static Optional<Told> last(List<String> lines, List<StartLog> which) {
    return lines.reversed().stream()
        .map(line -> Text.cut(Text.withoutColours(line), MAX_LOOKED_AT))
        .flatMap(cut -> which.stream().flatMap(kind -> kind.in(cut).stream()))
        .findFirst();
  }

  Optional<Told> in(CharSequence logged) {
    Matcher found = line.matcher(logged);
    if (!found.find()) {
      return Optional.empty();
    }
    Stream<String> named =
        fields.stream()
            .map(pattern -> pattern.matcher(logged))
            .filter(Matcher::find)
            .map(matcher -> matcher.group(1));
    List<String> values = (found.groupCount() > 0 ? groups(found) : named).toList();
    return values.size() < fields.size() ? Optional.empty() : Optional.of(new Told(this, values));
  }

  private static Stream<String> groups(Matcher found) {
    return IntStream.rangeClosed(1, found.groupCount())
        .mapToObj(found::group)
        .filter(Objects::nonNull)
        .map(group -> Text.line(group, MAX_LINE));
  }
}
