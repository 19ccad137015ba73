package io.sei.operator.testkit.picture;

import java.util.Locale;

/**
 * Writes a number as Grafana does.
 *
 * @param name as the dashboard has it
 */
record Unit(String name) {

  private static final double KIBI = 1024;
  private static final double HOUR = 3600;
  private static final double DAY = 24 * HOUR;

  String text(double value) {
    return switch (name) {
      case "s" -> duration(value);
      case "bytes" -> bytes(value);
      case "ops" -> number(value) + " ops/s";
      case "percentunit" -> number(value * 100) + "%";
      case "short" -> Math.abs(value) >= 1000 ? number(value / 1000) + " K" : number(value);
      case "none", "" -> number(value);
      default -> throw new IllegalArgumentException("not known here: " + name);
    };
  }

  private static String duration(double seconds) {
    double size = Math.abs(seconds);
    if (size < 1) {
      return size == 0 ? "0 s" : number(seconds * 1000) + " ms";
    }
    if (size < 60) {
      return number(seconds) + " s";
    }
    if (size < HOUR) {
      return number(seconds / 60) + " min";
    }
    return size < DAY ? number(seconds / HOUR) + " hours" : number(seconds / DAY) + " days";
  }

  private static String bytes(double value) {
    double rest = value;
    for (String unit : new String[] {"B", "KiB", "MiB"}) {
      if (rest < KIBI) {
        return number(rest) + " " + unit;
      }
      rest /= KIBI;
    }
    return number(rest) + " GiB";
  }

  /** Returns the number with three significant digits. */
  private static String number(double value) {
    double size = Math.abs(value);
    int decimals = value == Math.rint(value) || size >= 100 ? 0 : size >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
