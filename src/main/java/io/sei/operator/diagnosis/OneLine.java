package io.sei.operator.diagnosis;

import java.util.regex.Pattern;

/** Makes foreign text fit for a condition message: one line, printable, bounded. */
final class OneLine {

  private static final Pattern TERMINAL_COLOURS = Pattern.compile("\\x1b\\[[0-9;]*[A-Za-z]");
  private static final Pattern WHITE_SPACE = Pattern.compile("[\\s\\p{Z}]+");

  // Format characters go as well: they can turn round how the rest of a line is displayed.
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}]");

  private static final String CUT = "...";

  private OneLine() {}

  /** The text as one printable line of at most {@code max} characters; empty for null. */
  static String of(String text, int max) {
    if (text == null) {
      return "";
    }
    String folded = WHITE_SPACE.matcher(withoutColours(text)).replaceAll(" ");
    String clean = UNPRINTABLE.matcher(folded).replaceAll("").strip();
    return clean.length() <= max ? clean : cut(clean, max - CUT.length()) + CUT;
  }

  /** The text without what colours it on a terminal. */
  static String withoutColours(String text) {
    return text.indexOf('\u001b') < 0 ? text : TERMINAL_COLOURS.matcher(text).replaceAll("");
  }

  private static String cut(String text, int length) {
    boolean splitsPair = length > 0 && Character.isHighSurrogate(text.charAt(length - 1));
    return text.substring(0, splitsPair ? length - 1 : length);
  }
}
