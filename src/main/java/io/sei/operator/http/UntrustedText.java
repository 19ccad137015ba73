package io.sei.operator.http;

/** Words of a program that is not trusted on their way into a status, an event or a log. */
public final class UntrustedText {
  /** Enough to name a cause; a status holds one per task. */
  public static final int MAX_LENGTH = 512;

  private UntrustedText() {}

  /** At most 512 characters, without control characters or ones that end a line. */
  public static String clean(String text) {
    var end = Math.min(text.length(), 8 * MAX_LENGTH);
    var printable =
        text.substring(0, end)
            .replaceAll("[\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029]+", " ")
            .strip();
    return printable.length() <= MAX_LENGTH ? printable : cut(printable);
  }

  private static String cut(String text) {
    // Half a surrogate pair is not valid JSON, and the API server would refuse the whole status.
    int end = Character.isHighSurrogate(text.charAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH;
    return text.substring(0, end);
  }
}
