package io.sei.operator.diagnosis;

import io.sei.operator.base.Text;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: the line in which the log of a run says why it ended. The same parser is used on a whole
 * log, on the end of one that is the kubelet's termination message, and on its own result.
 *
 * @param kind how the run said it
 * @param line the line: printable, at most 600 characters, without its time, so that a run that
 *     dies as the last one did says the same
 */
public record LastWords(Kind kind, String line) {

  /** Ways in which a run reports why it ended, the most certain first. */
  public enum Kind {
    /** The first panic of the last block of panics. */
    PANIC,
    /** The Go runtime or a C library gave up. */
    FATAL,
    /**
     * Output of cobra for a command that failed, before its usage, or of the app before it exits.
     */
    ERROR,
    /** baseapp halted at {@code halt-height} or {@code halt-time}. */
    CONFIGURED_HALT,
    /** Rest of a panic whose beginning is missing in a long line of the other pipe. */
    BEHEADED_PANIC,
    /** The last line of level error, which need not have been fatal. */
    LOGGED_ERROR
  }

  private static final int MAX = 600;

  /** Lines of a fatal error that belong together: an address, the error, the signal. */
  private static final int FATAL_LINES = 4;

  private static final List<String> FATAL =
      List.of(
          "fatal error: ",
          "unexpected fault address",
          "runtime/cgo: pthread_create failed",
          "SIGABRT: ",
          "SIGILL: ",
          "SIGSEGV: ",
          "SIGBUS: ",
          "SIGFPE: ",
          "SIGTRAP: ",
          "SIGSYS: ");

  private static final String SIGNAL = "[signal ";

  /**
   * Two are printed by the app itself, which then exits (app/app.go:1058), the last three by the
   * start script of the pod.
   */
  private static final List<String> ERRORS =
      List.of(
          "Error: ",
          "failed to load latest version: ",
          "failed initialize pinned codes ",
          "the mounted signing key is not the one ",
          "the genesis on the volume is not of chain ",
          "config.toml has no laddr in [priv-validator]");

  private static final String AT = "(?:time=\\S+ )?";
  private static final String CLOCK = "(?:\\S{0,40}\\d\\S{0,40} )?";
  private static final String HALT = "halting node per configuration";

  // slog's text since seid v6.4, the console of zerolog before; JSON where it is configured.
  private static final Pattern LOGGED_ERROR =
      Pattern.compile(
          "^%1$slevel=(?:ERROR|error|FATAL|fatal|PANIC|panic)\\b|^%2$s(?:ERR|FTL|PNC)(?: |$)"
              .formatted(AT, CLOCK));

  private static final Pattern JSON_ERROR =
      Pattern.compile("\"level\":\"(?:ERROR|error|FATAL|fatal|PANIC|panic)\"");

  private static final Pattern CONFIGURED_HALT =
      Pattern.compile("^%1$slevel=INFO msg=\"%3$s\"|^%2$sINF %3$s".formatted(AT, CLOCK, HALT));

  private static final Pattern JSON_HALT =
      Pattern.compile("\"(?:msg|message)\":\"%s\"".formatted(HALT));

  private static final Pattern TIME =
      Pattern.compile(
          "^time=\\S+ |(?<=[{,])\"(?:time|ts)\":\"[^\"]*\",?|^%s(?=(?:INF|ERR|FTL|PNC) )"
              .formatted(CLOCK));

  /** Returns the last words in a log or in its end; empty if it reports no end. */
  public static Optional<LastWords> in(String log) {
    if (log == null) {
      return Optional.empty();
    }
    List<String> lines = log.lines().toList();
    return panic(lines)
        .or(() -> fatal(lines))
        .or(() -> error(lines))
        .or(() -> logged(Kind.CONFIGURED_HALT, lines, LastWords::isConfiguredHalt))
        .or(() -> beheaded(lines))
        .or(() -> logged(Kind.LOGGED_ERROR, lines, LastWords::isError));
  }

  /**
   * Returns whether a log shows that something was printed at the end of its run whose beginning is
   * not in it: the traces of thousands of goroutines push it out.
   */
  public static boolean isPushedOut(String log) {
    return in(log).filter(LastWords::isCertain).isEmpty()
        && GoPanics.hasTrace(log.lines().toList());
  }

  /** Returns whether no other run prints such a line in passing. */
  public boolean isCertain() {
    return switch (kind) {
      case PANIC, FATAL, ERROR, CONFIGURED_HALT -> true;
      case BEHEADED_PANIC, LOGGED_ERROR -> false;
    };
  }

  /** The line that says most, else the last one that is not empty; empty if there is none. */
  public static String quoted(String message, int max) {
    return Text.line(in(message).map(LastWords::line).orElseGet(() -> lastLine(message)), max);
  }

  static String lastLine(String message) {
    return message == null ? "" : last(message.lines().filter(line -> !line.isBlank())).orElse("");
  }

  private static Optional<LastWords> panic(List<String> lines) {
    List<GoPanics.Block> blocks = GoPanics.in(lines);
    return blocks.isEmpty()
        ? Optional.empty()
        : Optional.of(of(Kind.PANIC, blocks.get(blocks.size() - 1).first()));
  }

  private static Optional<LastWords> fatal(List<String> lines) {
    int at = lastIndex(lines, LastWords::isFatal);
    if (at < 0) {
      return Optional.empty();
    }
    int from = at > 0 && isFatal(lines.get(at - 1)) ? at - 1 : at;
    String words =
        lines.subList(from, Math.min(lines.size(), at + FATAL_LINES)).stream()
            .filter(line -> isFatal(line) || line.startsWith(SIGNAL))
            .collect(Collectors.joining(" "));
    return Optional.of(of(Kind.FATAL, words));
  }

  /** Returns an error with its indented lines: it may be a list of errors. */
  private static Optional<LastWords> error(List<String> lines) {
    int at = lastIndex(lines, line -> ERRORS.stream().anyMatch(line::startsWith));
    if (at < 0) {
      return Optional.empty();
    }
    Stream<String> more =
        lines.subList(at + 1, lines.size()).stream()
            .takeWhile(line -> line.startsWith("\t") || line.startsWith("  "));
    return Optional.of(
        of(
            Kind.ERROR,
            Stream.concat(Stream.of(lines.get(at)), more).collect(Collectors.joining("\n"))));
  }

  private static Optional<LastWords> beheaded(List<String> lines) {
    return GoPanics.beheaded(lines)
        .map(line -> line.substring(Math.max(0, line.length() - MAX)))
        .map(line -> of(Kind.BEHEADED_PANIC, line))
        .filter(words -> !words.line().isEmpty())
        .findFirst();
  }

  private static Optional<LastWords> logged(
      Kind kind, List<String> lines, Predicate<String> which) {
    int at = lastIndex(lines, line -> which.test(Text.withoutColours(line)));
    return at < 0
        ? Optional.empty()
        : Optional.of(of(kind, TIME.matcher(Text.withoutColours(lines.get(at))).replaceFirst("")));
  }

  private static LastWords of(Kind kind, String line) {
    return new LastWords(kind, Text.line(line, MAX));
  }

  private static boolean isFatal(String line) {
    return FATAL.stream().anyMatch(line::startsWith);
  }

  private static boolean isError(String line) {
    return LOGGED_ERROR.matcher(line).lookingAt() || isJson(line, JSON_ERROR);
  }

  private static boolean isConfiguredHalt(String line) {
    return CONFIGURED_HALT.matcher(line).lookingAt() || isJson(line, JSON_HALT);
  }

  private static boolean isJson(String line, Pattern with) {
    return line.startsWith("{") && with.matcher(line).find();
  }

  private static int lastIndex(List<String> lines, Predicate<String> which) {
    for (int i = lines.size() - 1; i >= 0; i--) {
      if (which.test(lines.get(i))) {
        return i;
      }
    }
    return -1;
  }

  private static Optional<String> last(Stream<String> lines) {
    return lines.reduce((earlier, later) -> later);
  }
}
