package io.sei.operator.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The lines of a terminal with their times, as a moving picture: an SVG that needs no script. */
final class TerminalRecording {

  /** How a line is drawn. */
  enum Style {
    PLAIN,
    TITLE,
    ACTION,
    GOOD,
    BAD
  }

  private record Line(Style style, String text, Duration after) {}

  private static final int COLUMNS = 112;
  private static final int ROWS = 24;
  private static final int LINE_HEIGHT = 18;
  private static final int MARGIN = 14;
  private static final double COLUMN_WIDTH = 8;

  /** A pause of the demo lasts no longer in the picture. */
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(1500);

  /** Time for which the last line stands before the picture begins again. */
  private static final Duration REST = Duration.ofSeconds(6);

  private final List<Line> lines = new ArrayList<>();
  private Duration length = Duration.ZERO;
  private Instant last;

  /** Adds a line that was printed now. Lines before the first title are left out. */
  void add(Style style, String text) {
    if (lines.isEmpty() && style != Style.TITLE) {
      return;
    }
    Instant now = Instant.now();
    if (last != null) {
      Duration pause = Duration.between(last, now);
      length = length.plus(pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause);
    }
    last = now;
    lines.add(new Line(style, text, length));
  }

  /** Writes the picture. */
  void write(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, svg());
  }

  private String svg() {
    double seconds = seconds(length.plus(REST));
    var styles = new StringBuilder();
    var texts = new StringBuilder();
    for (int row = 0; row < lines.size(); row++) {
      Line line = lines.get(row);
      double begin = percent(line.after(), seconds);
      styles.append(
          format(
              "@keyframes l%d{0%%,%.2f%%{opacity:0}%.2f%%,100%%{opacity:1}}",
              row, begin, begin + 0.01));
      texts.append(
          format(
              "<text class=\"%s\" y=\"%d\" style=\"animation-name:l%d\">%s</text>\n",
              line.style().name().toLowerCase(Locale.ROOT),
              MARGIN + (row + 1) * LINE_HEIGHT,
              row,
              escaped(line.text())));
    }
    int width = (int) (2 * MARGIN + COLUMNS * COLUMN_WIDTH);
    int height = 2 * MARGIN + ROWS * LINE_HEIGHT;
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
    <title>The demo of an upgrade night</title>
    <style>
    text{font:13px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre;fill:#d5dae2}
    text,.scroll{animation-duration:%3$s;animation-iteration-count:infinite;animation-timing-function:step-end}
    .title{fill:#fff;font-weight:700}.action{fill:#7cc7ff}.good{fill:#6fd69a}.bad{fill:#ff8a80}
    .scroll{animation-name:scroll}
    %4$s
    @keyframes scroll{%5$s}
    @media (prefers-reduced-motion:reduce){text{animation:none}.scroll{animation:none;transform:translateY(%6$dpx)}}
    </style>
    <rect width="100%%" height="100%%" rx="8" fill="#11151c"/>
    <svg x="%7$d" y="0" width="%8$d" height="%2$d"><g class="scroll">
    %9$s</g></svg>
    </svg>
    """
        .formatted(
            width,
            height,
            format("%.2fs", seconds),
            styles,
            scroll(seconds),
            -LINE_HEIGHT * Math.max(0, lines.size() - ROWS),
            MARGIN,
            width - 2 * MARGIN,
            texts);
  }

  /** The lines move up by one for each line below the last row. */
  private String scroll(double seconds) {
    var frames = new StringBuilder("0%{transform:translateY(0)}");
    for (int row = ROWS; row < lines.size(); row++) {
      frames.append(
          format(
              "%.2f%%{transform:translateY(%dpx)}",
              percent(lines.get(row).after(), seconds), -LINE_HEIGHT * (row - ROWS + 1)));
    }
    return frames.toString();
  }

  private static double percent(Duration after, double seconds) {
    return 100 * seconds(after) / seconds;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private static String escaped(String text) {
    String cut = text.length() > COLUMNS ? text.substring(0, COLUMNS - 1) + "…" : text;
    return cut.replace("&", "&amp;").replace("<", "&lt;");
  }

  /** A decimal point in every locale. */
  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
