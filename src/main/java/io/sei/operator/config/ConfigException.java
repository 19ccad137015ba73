package io.sei.operator.config;

import io.sei.operator.base.Text;

/**
 * A setting that cannot be used; the message is one line that names it, its value and what is
 * allowed.
 */
public final class ConfigException extends RuntimeException {
  private static final int MAX_VALUE = 120;

  /**
   * @param name the environment variable, or the file and the key in it
   * @param value the value found there, printed without control characters and at most 120 long
   * @param allowed what would have been accepted, completing the words "must be"
   */
  public ConfigException(String name, String value, String allowed) {
    super("%s=\"%s\": must be %s".formatted(name, printable(value), allowed));
  }

  /** Returns the value on one line, short enough for a terminal. */
  static String printable(String value) {
    // The message is promised to be one line, and it goes to a terminal.
    var clean = value.replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]", "?");
    return clean.length() <= MAX_VALUE ? clean : Text.cut(clean, MAX_VALUE) + "...";
  }
}
