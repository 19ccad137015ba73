package io.sei.operator.diagnosis;

import static io.sei.operator.diagnosis.LastWords.Kind.BEHEADED_PANIC;
import static io.sei.operator.diagnosis.LastWords.Kind.CONFIGURED_HALT;
import static io.sei.operator.diagnosis.LastWords.Kind.ERROR;
import static io.sei.operator.diagnosis.LastWords.Kind.FATAL;
import static io.sei.operator.diagnosis.LastWords.Kind.LOGGED_ERROR;
import static io.sei.operator.diagnosis.LastWords.Kind.PANIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.diagnosis.LastWords.Kind;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LastWordsTest {

  private static final String TRACE =
      "\n\ngoroutine 1 [running]:\nmain.main()\n\tgithub.com/sei/main.go:12 +0x1d\n";

  /** The real lines, as long as they are one line. */
  @ParameterizedTest
  @MethodSource("io.sei.operator.testkit.samples.SeidDeaths#all")
  void deathOfTheRealSeidIsQuoted(SeidDeaths.Death death) {
    assertThat(LastWords.in(death.log())).contains(new LastWords(death.kind(), death.line()));
  }

  /** Under the usage the termination message has flags only. */
  @ParameterizedTest
  @MethodSource("io.sei.operator.testkit.samples.SeidDeaths#all")
  void whatIsQuotedIsUnderstoodAgain(SeidDeaths.Death death) {
    LastWords words = LastWords.in(death.log()).orElseThrow();

    assertThat(LastWords.in(words.line())).contains(words);
  }

  record Row(String name, String log, Kind kind, String line) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Row> logs() {
    return Stream.of(panics(), errors(), formats()).flatMap(rows -> rows);
  }

  private static Stream<Row> panics() {
    return Stream.of(
        new Row("last block", "panic: one" + TRACE + "panic: two" + TRACE, PANIC, "panic: two"),
        new Row(
            "first of the last block",
            "panic: one [recovered]\n\tpanic: two\n\tpanic: three" + TRACE,
            PANIC,
            "panic: one [recovered]"),
        new Row(
            "value of several lines",
            "panic: a list:\npanic: UPGRADE \"v2\" NEEDED at height: 5: x" + TRACE,
            PANIC,
            "panic: a list:"),
        new Row(
            "stdout between panic and trace",
            "panic: one\ntime=1 level=ERROR msg=\"two\"\n{\"level\":\"ERROR\"}" + TRACE,
            PANIC,
            "panic: one"),
        new Row("no trace", "panic: one\n", PANIC, "panic: one"),
        new Row("before an error", "Error: two\npanic: one" + TRACE, PANIC, "panic: one"),
        new Row(
            "quoted in a line", "INF panic: one\nERR panic: two", LOGGED_ERROR, "ERR panic: two"),
        new Row("coloured", "panic: \u001b[31mred\u0007\u001b[0m", PANIC, "panic: red"),
        new Row(
            "beginning swallowed",
            "{\"level\":\"INFO\",\"msg\":\"xPGRADE \\\"v6.5\\\" NEEDED at height: 833: {}" + TRACE,
            BEHEADED_PANIC,
            "{\"level\":\"INFO\",\"msg\":\"xPGRADE \\\"v6.5\\\" NEEDED at height: 833: {}"),
        new Row(
            "nil pointer",
            "panic: runtime error: invalid memory address or nil pointer dereference\n"
                + "[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x1]"
                + TRACE,
            PANIC,
            "panic: runtime error: invalid memory address or nil pointer dereference"));
  }

  private static Stream<Row> errors() {
    return Stream.of(
        new Row(
            "fatal error",
            "fatal error: concurrent map writes\n" + TRACE,
            FATAL,
            "fatal error: concurrent map writes"),
        new Row(
            "fault",
            "unexpected fault address 0x7f01\nfatal error: fault\n"
                + "[signal SIGBUS: bus error code=0x2 addr=0x7f01 pc=0x46]\n"
                + TRACE,
            FATAL,
            "unexpected fault address 0x7f01 fatal error: fault"
                + " [signal SIGBUS: bus error code=0x2 addr=0x7f01 pc=0x46]"),
        new Row(
            "abort of a C library",
            "SIGABRT: abort\nPC=0x7f m=0 sigcode=18446744073709551610\n" + TRACE,
            FATAL,
            "SIGABRT: abort"),
        new Row(
            "list of errors",
            "Error: 2 errors occurred:\n\t* one\n\t* two\n\nUsage:\n  seid start\n",
            ERROR,
            "Error: 2 errors occurred: * one * two"),
        new Row(
            "stdout under the usage",
            "Error: one\nUsage:\n  seid start [flags]\ntime=1 level=ERROR msg=two\n",
            ERROR,
            "Error: one"),
        new Row("last of several", "Error: one\nError: two\n", ERROR, "Error: two"));
  }

  /** An error of each format of seid; slog is v6.4 and later, zerolog before. */
  private static Stream<Row> formats() {
    String halt = "halting node per configuration";
    return Stream.of(
        new Row(
            "slog",
            "time=1 level=ERROR msg=\"one\" logger=a\ntime=2 level=INFO msg=\"bye\"\n",
            LOGGED_ERROR,
            "level=ERROR msg=\"one\" logger=a"),
        new Row(
            "slog as JSON",
            "{\"time\":\"2026\",\"level\":\"ERROR\",\"msg\":\"one\"}\n",
            LOGGED_ERROR,
            "{\"level\":\"ERROR\",\"msg\":\"one\"}"),
        new Row(
            "zerolog as JSON",
            "{\"level\":\"error\",\"message\":\"one\"}\n",
            LOGGED_ERROR,
            "{\"level\":\"error\",\"message\":\"one\"}"),
        new Row("zerolog", "6:02AM ERR one module=x\n", LOGGED_ERROR, "ERR one module=x"),
        new Row(
            "zerolog in colours",
            "\u001b[90m1:50AM\u001b[0m \u001b[1m\u001b[31mERR\u001b[0m\u001b[0m one\n",
            LOGGED_ERROR,
            "ERR one"),
        new Row(
            "halt in slog as JSON",
            "{\"time\":\"2026\",\"level\":\"INFO\",\"msg\":\"" + halt + "\",\"height\":160}\n",
            CONFIGURED_HALT,
            "{\"level\":\"INFO\",\"msg\":\"" + halt + "\",\"height\":160}"),
        new Row(
            "halt in zerolog",
            "6:02AM INF " + halt + " height=40 module=server time=0\n6:02AM INF exiting...\n",
            CONFIGURED_HALT,
            "INF " + halt + " height=40 module=server time=0"));
  }

  @ParameterizedTest
  @MethodSource("logs")
  void lineThatSaysWhyIsFound(Row row) {
    assertThat(LastWords.in(row.log())).contains(new LastWords(row.kind(), row.line()));
  }

  static Stream<String> silences() {
    return Stream.of(
        "",
        "\n\n",
        "time=1 level=INFO msg=\"level=ERROR\"",
        "time=1 level=INFO msg=\"a peer says halting node per configuration\"",
        "{\"level\":\"info\",\"msg\":\"{\\\"level\\\":\\\"error\\\"}\"}",
        "INF panic: quoted",
        "6:02AM INF ERR one",
        "      --pruning string   Error: none");
  }

  @ParameterizedTest
  @MethodSource("silences")
  void otherLinesSayNothing(String log) {
    assertThat(LastWords.in(log)).isEmpty();
  }

  @Test
  void panicThatTracesPushOutIsMissed() throws IOException {
    String log = Files.readString(Path.of("src/test/resources/kubelet/halt-in-replay.log"));
    String trace = log.substring(log.indexOf("goroutine "));

    assertThat(LastWords.isPushedOut(log)).isFalse();
    assertThat(LastWords.isPushedOut(trace)).isTrue();
    assertThat(LastWords.isPushedOut(trace.substring(40))).isTrue();
    assertThat(LastWords.isPushedOut("time=1 level=ERROR msg=one\n" + trace)).isTrue();
    assertThat(LastWords.isPushedOut("time=1 level=ERROR msg=one\n")).isFalse();
  }

  @RepeatedTest(200)
  void anyTextIsReadWithoutAnErrorAndQuotedInBounds(RepetitionInfo repetition) {
    String log = randomLog(new Random(repetition.getCurrentRepetition()));

    assertThat(LastWords.in(log).map(LastWords::line).orElse("")).satisfies(LastWordsTest::isQuote);
    assertThat(LastWords.quoted(log, 300)).hasSizeLessThanOrEqualTo(300);
    assertThat(UpgradeHalt.in("run", log).map(UpgradeHalt::line).orElse(""))
        .satisfies(LastWordsTest::isQuote);
    assertThat(UpgradePanic.in(log)).isNotNull();
    assertThat(LastWords.in(log).filter(candidate -> LastWords.in(candidate.line()).isEmpty()))
        .as(
            "what is quoted and has words is a death when it is read again, or was what is left of one")
        .matches(
            optional ->
                optional.isEmpty()
                    || optional.get().kind() == BEHEADED_PANIC
                    || optional.get().line().endsWith(":"));
  }

  private static void isQuote(String line) {
    assertThat(line).hasSizeLessThanOrEqualTo(600).doesNotContainPattern("\\p{Cc}|\\p{Cf}");
  }

  private static String randomLog(Random random) {
    String[] parts = {
      "panic: ",
      "\tpanic: ",
      "goroutine 1 [running]:",
      "\n",
      "\n\n",
      "Error: ",
      "fatal error: ",
      "[signal SIGSEGV",
      "time=1 level=ERROR msg=",
      "{\"level\":\"error\"",
      "6:02AM ERR ",
      "UPGRADE \"v2\" NEEDED at height: 9",
      "Wrong app version 1, ",
      "upgrade handler is missing",
      "\u001b[31m",
      "\u0000",
      "\u202e",
      "\ud83d",
      "Usage:",
      "halting node per configuration",
      "\r",
      "x".repeat(700),
      "+0x1d",
      "INF "
    };
    return IntStream.range(0, random.nextInt(60))
        .mapToObj(
            i ->
                random.nextInt(4) == 0
                    ? Character.toString(random.nextInt(Character.MAX_CODE_POINT))
                    : parts[random.nextInt(parts.length)])
        .collect(Collectors.joining());
  }
}
