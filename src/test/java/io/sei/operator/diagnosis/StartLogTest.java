package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads the work of a starting seid in the lines that sei-chain prints. */
class StartLogTest {

  private static final String REPLAYS =
      slog("ABCI Replay Blocks", "appHeight=800 storeHeight=900 stateHeight=900");

  static Stream<Arguments> logs() {
    return Stream.of(
        Arguments.of(slog("Applying block", "height=833"), "it replays blocks, at height 833"),
        Arguments.of(
            REPLAYS + slog("Applying block", "height=833"),
            "it replays blocks, at height 833 of 900"),
        Arguments.of(REPLAYS, "it replays blocks up to height 900"),
        Arguments.of(
            "{\"time\":\"2026\",\"level\":\"INFO\",\"msg\":\"Applying block\",\"height\":833}",
            "it replays blocks, at height 833"),
        Arguments.of(
            "1:53AM INF Applying block height=833 module=consensus",
            "it replays blocks, at height 833"),
        Arguments.of(
            "\u001b[90m1:53AM\u001b[0m \u001b[32mINF\u001b[0m Applying block"
                + " \u001b[36mheight=\u001b[0m833",
            "it replays blocks, at height 833"),
        Arguments.of(slog("Discovering snapshots for 15s", ""), "it asks its peers for a snapshot"),
        Arguments.of(
            slog("Offering snapshot to ABCI app", "height=7000 format=1 hash=00"),
            "it restores the state of height 7000"),
        Arguments.of(
            slog("Applied snapshot chunk to ABCI app", "height=7000 format=1 chunk=3 total=33"),
            "it restores the state of height 7000, chunk 3 of 33"),
        Arguments.of(
            slog("applying upgrade \\\"v6.5\\\" at height: 833", ""),
            "it applies upgrade \"v6.5\""),
        Arguments.of(
            "1:53AM INF applying upgrade \"v6.5\" at height: 833", "it applies upgrade \"v6.5\""),
        Arguments.of(
            slog("migrating module evm from version 12 to version 13", "")
                + slog("Requesting snapshots", ""),
            "it migrates the data of module evm"),
        // The last word counts.
        Arguments.of(
            slog("Applied snapshot chunk to ABCI app", "height=7000 format=1 chunk=32 total=33")
                + slog("Applying block", "height=7001"),
            "it replays blocks, at height 7001"),
        // A line that lacks its number says nothing.
        Arguments.of(
            slog("Applying block", ""),
            "its log ends with \"" + slog("Applying block", "").strip() + "\""),
        Arguments.of("compacting\n\n", "its log ends with \"compacting\""),
        Arguments.of("", "its log is empty"),
        Arguments.of("\n \n", "its log is empty"));
  }

  static Stream<Arguments> logsSinceVersion6Dot4() {
    return Stream.of(
        Arguments.of(
            slog("discovering snapshots", "duration=15s"), "it asks its peers for a snapshot"),
        Arguments.of(
            slog("no snapshots discovered, sleeping", "duration=15s"),
            "it asks its peers for a snapshot"),
        Arguments.of(
            slog("applying upgrade", "name=v6.5 at=\"height: 833\""),
            "it applies upgrade \"v6.5\""),
        Arguments.of(
            "{\"level\":\"INFO\",\"msg\":\"applying upgrade\",\"name\":\"v6.5\",\"at\":\"height: 8\"}",
            "it applies upgrade \"v6.5\""),
        Arguments.of(
            slog(
                "migrating module from version to version",
                "module=evm from-version=12 to-version=13"),
            "it migrates the data of module evm"));
  }

  @ParameterizedTest
  @MethodSource({"logs", "logsSinceVersion6Dot4"})
  void saysWhatSeidIsBusyWith(String log, String words) {
    assertThat(StartLog.busyWith(log)).isEqualTo(words);
  }

  @RepeatedTest(100)
  void anyLogComesToOneShortPrintableLine(RepetitionInfo run) {
    var random = new Random(run.getCurrentRepetition());
    String log =
        IntStream.range(0, 300)
            .mapToObj(range -> random.nextInt(20) == 0 ? "Applying block height=" : symbol(random))
            .reduce("", String::concat);

    assertThat(StartLog.busyWith(log))
        .hasSizeLessThan(240)
        .matches(text -> text.chars().noneMatch(Character::isISOControl));
  }

  private static String symbol(Random random) {
    return Character.toString(random.nextInt(random.nextBoolean() ? 128 : 0xD800));
  }

  private static String slog(String message, String fields) {
    return "time=2026-11-25T10:00:00.000Z level=INFO msg=\"%s\" logger=tm %s\n"
        .formatted(message, fields);
  }
}
