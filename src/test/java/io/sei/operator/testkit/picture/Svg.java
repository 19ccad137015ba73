package io.sei.operator.testkit.picture;

import java.util.List;
import java.util.Locale;

/** Draws a dashboard, in Grafana's colours on white. */
final class Svg {

  static final String DARK = "#24292e";
  static final String GREY = "#8e8e8e";
  static final String BLUE = "#1f60c4";
  static final String GREEN = "#299c46";
  private static final String YELLOW = "#e0b400";

  private static final List<String> OF_LINES =
      List.of(
          "#299c46", "#e0b400", "#1f60c4", "#e02f44", "#8f3bb8", "#fa6400", "#56a64b", "#806eb7");

  private final StringBuilder out = new StringBuilder();

  Svg(int width, int height) {
    out.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif">
        <rect width="100%%" height="100%%" fill="#f4f5f5"/>
        """
            .formatted(width, height));
  }

  /** The colour of a line by its place in the legend. */
  static String ofLine(int index) {
    return OF_LINES.get(index % OF_LINES.size());
  }

  /** A colour by the name that thresholds give it. */
  static String named(String name) {
    return switch (name) {
      case "green" -> GREEN;
      case "yellow" -> YELLOW;
      case "red" -> "#e02f44";
      default -> throw new IllegalArgumentException("not known here: " + name);
    };
  }

  /**
   * @param about what a browser shows where the mouse rests
   */
  void panel(DashboardPicture.Frame frame, String title, String about) {
    out.append(
        """
        <rect x="%d" y="%d" width="%d" height="%d" rx="3" fill="white" stroke="#d8d9da"><title>%s</title></rect>
        """
            .formatted(frame.x(), frame.y(), frame.width(), frame.height(), escaped(about)));
    int size = (int) Math.min(13, (frame.width() - 16) / (0.56 * title.length()));
    text(frame.x() + 8, frame.y() + 20, size, "start", DARK, title);
  }

  void noData(DashboardPicture.Frame frame, String text) {
    int x = frame.x() + frame.width() / 2;
    text(x, frame.y() + frame.height() / 2 + 14, 14, "middle", GREY, text);
  }

  void text(double x, double y, int size, String anchor, String colour, String text) {
    out.append(
        """
        <text x="%s" y="%s" font-size="%d" text-anchor="%s" fill="%s">%s</text>
        """
            .formatted(number(x), number(y), size, anchor, colour, escaped(text)));
  }

  void line(double x1, double y1, double x2, double y2) {
    out.append(
        """
        <line x1="%s" y1="%s" x2="%s" y2="%s" stroke="#e4e5e6"/>
        """
            .formatted(number(x1), number(y1), number(x2), number(y2)));
  }

  void mark(double x, double y, String colour) {
    out.append(
        """
        <rect x="%s" y="%s" width="12" height="3" fill="%s"/>
        """
            .formatted(number(x), number(y), colour));
  }

  void bar(double x, double y, double width, double height, String colour) {
    out.append(
        """
        <rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>
        """
            .formatted(number(x), number(y), number(width), number(height), colour));
  }

  void polyline(String points, String colour) {
    out.append(
        """
        <polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>
        """
            .formatted(colour, points));
  }

  static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  @Override
  public String toString() {
    return out + "</svg>\n";
  }
}
