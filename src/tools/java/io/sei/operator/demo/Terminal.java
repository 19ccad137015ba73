package io.sei.operator.demo;

import java.io.PrintStream;
import java.time.Duration;

/** Plain lines on standard output, in colour on a terminal. */
final class Terminal {

  private final PrintStream out = System.out;
  private final boolean colour;

  Terminal(boolean colour) {
    this.colour = colour;
  }

  static String seconds(Duration duration) {
    return "%.1f s".formatted(duration.toMillis() / 1000.0);
  }

  synchronized void line(String text) {
    out.println(text);
    out.flush();
  }

  void title(String text) {
    line("");
    line(paint("1", text));
  }

  /** Prints an action on the cluster, as a command where there is one. */
  void action(String text) {
    line(paint("36", "  " + text));
  }

  void good(String text) {
    line(paint("32", text));
  }

  void bad(String text) {
    line(paint("31", text));
  }

  private String paint(String code, String text) {
    return colour ? "\033[" + code + "m" + text + "\033[0m" : text;
  }
}
