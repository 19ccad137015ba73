package io.sei.operator.base;

import java.util.regex.Pattern;

/** PURE: makes foreign text fit for a status: one line, printable, bounded. */
public final class Text {

  private static final Pattern TERMINAL_COLOURS = Pattern.compile("\\x1b\\[[0-9;]*[A-Za-z]");
  private static final Pattern WHITE_SPACE = Pattern.compile("[\\s\\p{Z}]+");

  // Format characters go as well: they can turn round how the rest of a line is displayed.
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}]");

  private static final String CUT = "...";

  private Text() {}

  /** The text as one printable line of at most {@code max} characters; empty for null. */
  public static String line(String text, int max) {
    if (text == null) {
      return "";
    }
    String folded = WHITE_SPACE.matcher(withoutColours(text)).replaceAll(" ");
    String clean = UNPRINTABLE.matcher(folded).replaceAll("").strip();
    return clean.length() <= max ? clean : cut(clean, max - CUT.length()) + CUT;
  }

  /** The text without what colours it on a terminal. */
  public static String withoutColours(String text) {
    return text.indexOf('\u001b') < 0 ? text : TERMINAL_COLOURS.matcher(text).replaceAll("");
  }

  /**
   * The first {@code max} characters, or one fewer: half a surrogate pair is not valid JSON, and
   * the API server would refuse the whole object.
   */
  public static String cut(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    boolean splitsPair = max > 0 && Character.isHighSurrogate(text.charAt(max - 1));
    return text.substring(0, splitsPair ? max - 1 : max);
  }
}
