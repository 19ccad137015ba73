package io.sei.operator.demo;

import io.sei.operator.demo.TerminalRecording.Style;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;

/** Plain lines on standard output, in colour on a terminal, of which a recording can be made. */
final class Terminal {

  private static final Map<Style, String> CODES =
      Map.of(Style.TITLE, "1", Style.ACTION, "36", Style.GOOD, "32", Style.BAD, "31");

  private final PrintStream out = System.out;
  private final boolean colour;
  private final TerminalRecording recording = new TerminalRecording();

  Terminal(boolean colour) {
    this.colour = colour;
  }

  static String seconds(Duration duration) {
    return "%.1f s".formatted(duration.toMillis() / 1000.0);
  }

  void line(String text) {
    print(Style.PLAIN, text);
  }

  void title(String text) {
    line("");
    print(Style.TITLE, text);
  }

  /** Prints an action on the cluster, as a command where there is one. */
  void action(String text) {
    print(Style.ACTION, "  " + text);
  }

  void good(String text) {
    print(Style.GOOD, text);
  }

  void bad(String text) {
    print(Style.BAD, text);
  }

  /** Returns what was printed so far, with the times. */
  TerminalRecording recording() {
    return recording;
  }

  private synchronized void print(Style style, String text) {
    recording.add(style, text);
    String code = CODES.get(style);
    out.println(colour && code != null ? "\033[" + code + "m" + text + "\033[0m" : text);
    out.flush();
  }
}
