package io.sei.operator.base;

/** Words of a program that is not trusted on their way into a status, an event or a log. */
public final class UntrustedText {
  /** Enough to name a cause; a status holds one per task. */
  private static final int MAX_LENGTH = 512;

  private UntrustedText() {}

  /**
   * At most 512 characters, without control characters, ones that end a line, and invisible ones,
   * which can turn round how the rest of a line is displayed.
   */
  public static String clean(String text) {
    var end = Math.min(text.length(), 8 * MAX_LENGTH);
    var printable =
        text.substring(0, end).replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]+", " ").strip();
    return Text.cut(printable, MAX_LENGTH);
  }
}
