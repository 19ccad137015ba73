package io.sei.operator.testkit.picture;

import java.util.ArrayList;
import java.util.List;

/** States over time: a row for each series, a bar for as long as it has one value. */
record StateTimeline(
    DashboardPicture.Frame frame,
    List<TimePlot.Line> rows,
    PanelColours colours,
    String noValue,
    DashboardPicture.Data data) {

  private static final int TOP = 30;
  private static final int AXIS = 22;
  private static final int MOST_ROW = 24;
  private static final double CHARACTER = 6.2;

  /** A series while it has one value. */
  private record Bar(double from, double to, double value) {}

  void draw(Svg svg) {
    if (rows.isEmpty()) {
      svg.noData(frame, noValue);
      return;
    }
    double height = Math.min(MOST_ROW, (frame.height() - TOP - AXIS) / (double) rows.size());
    double y = frame.y() + (double) TOP;
    for (TimePlot.Line row : rows) {
      svg.text(left() - 8, y + height / 2 + 4, 11, "end", Svg.DARK, row.name());
      for (Bar bar : bars(row)) {
        draw(svg, bar, y, height);
      }
      y += height;
    }
    for (double share : new double[] {0.1, 0.5, 0.9}) {
      double seconds = from() + share * (to() - from());
      svg.text(x(seconds), y + 16, 11, "middle", Svg.GREY, TimePlot.clock(seconds));
    }
  }

  private void draw(Svg svg, Bar bar, double y, double height) {
    PanelColours.State state = colours.states().get(bar.value());
    if (state == null) {
      throw new IllegalArgumentException("a state without a name: " + bar.value());
    }
    double width = x(bar.to()) - x(bar.from());
    svg.bar(x(bar.from()), y + 1, width, height - 2, state.colour());
    if (state.name().length() * CHARACTER < width - 6) {
      svg.text(x(bar.from()) + 4, y + height / 2 + 4, 11, "start", Svg.DARK, state.name());
    }
  }

  private static List<Bar> bars(TimePlot.Line row) {
    List<Bar> bars = new ArrayList<>();
    for (List<TimePlot.Point> piece : row.pieces()) {
      TimePlot.Point begin = piece.getFirst();
      for (TimePlot.Point point : piece) {
        if (point.value() != begin.value()) {
          bars.add(new Bar(begin.seconds(), point.seconds(), begin.value()));
          begin = point;
        }
      }
      bars.add(new Bar(begin.seconds(), piece.getLast().seconds(), begin.value()));
    }
    return bars;
  }

  private double x(double seconds) {
    double span = Math.max(1, to() - from());
    return left() + (seconds - from()) / span * (frame.x() + frame.width() - 12 - left());
  }

  /** Beside the longest name. */
  private double left() {
    int longest = rows.stream().mapToInt(row -> row.name().length()).max().orElseThrow();
    return frame.x() + 16 + longest * CHARACTER;
  }

  private double from() {
    return data.from().getEpochSecond();
  }

  private double to() {
    return data.until().getEpochSecond();
  }
}
