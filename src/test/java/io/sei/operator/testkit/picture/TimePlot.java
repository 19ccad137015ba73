package io.sei.operator.testkit.picture;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Lines over time, with a legend below. A line is broken where its series has no value. */
record TimePlot(DashboardPicture.Frame frame, List<Line> lines, Unit unit, String noValue) {

  private static final int LEFT = 56;
  private static final int TOP = 34;
  private static final int LEGEND = 16;
  private static final int AXIS = 22;
  private static final int STEPS = 4;

  /** Number of steps of a few seconds beyond which missing ones are a gap. */
  private static final double GAP_SECONDS = 8;

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

  /**
   * @param seconds since the epoch
   */
  record Point(double seconds, double value) {}

  record Line(String name, String colour, List<Point> points) {

    static Line of(String name, String colour, JsonNode values) {
      return new Line(
          name,
          colour,
          values
              .valueStream()
              .map(pair -> new Point(pair.get(0).asDouble(), pair.get(1).asDouble()))
              .filter(point -> Double.isFinite(point.value()))
              .toList());
    }

    /** Its pieces without a gap. */
    List<List<Point>> pieces() {
      List<List<Point>> pieces = new ArrayList<>();
      double last = Double.NEGATIVE_INFINITY;
      for (Point point : points) {
        if (point.seconds() - last > GAP_SECONDS) {
          pieces.add(new ArrayList<>());
        }
        pieces.getLast().add(point);
        last = point.seconds();
      }
      return pieces;
    }
  }

  void draw(Svg svg) {
    if (lines.isEmpty()) {
      svg.noData(frame, noValue);
      return;
    }
    double step = step();
    for (double value = 0; value <= top() + step / 2; value += step) {
      svg.line(left(), y(value), right(), y(value));
      svg.text(left() - 6, y(value) + 4, 11, "end", Svg.GREY, unit.text(value));
    }
    for (double share : new double[] {0.1, 0.5, 0.9}) {
      double seconds = from() + share * (to() - from());
      svg.text(x(seconds), bottom() + 14, 11, "middle", Svg.GREY, clock(seconds));
    }
    for (Line line : lines) {
      line.pieces().forEach(piece -> svg.polyline(points(piece), line.colour()));
    }
    legend(svg);
  }

  /** The time of day of a moment, which is in seconds since the epoch. */
  static String clock(double seconds) {
    return CLOCK.format(Instant.ofEpochSecond((long) seconds));
  }

  private void legend(Svg svg) {
    List<List<Integer>> rows = rows();
    double y = frame.y() + frame.height() - 8.0 - (rows.size() - 1) * LEGEND;
    for (List<Integer> row : rows) {
      double x = frame.x() + 10.0;
      for (int i : row) {
        svg.mark(x, y - 5, lines.get(i).colour());
        svg.text(x + 16, y, 11, "start", Svg.DARK, lines.get(i).name());
        x += width(i);
      }
      y += LEGEND;
    }
  }

  /** The lines by the row of the legend that names them. */
  private List<List<Integer>> rows() {
    List<List<Integer>> rows = new ArrayList<>();
    double room = 0;
    for (int i = 0; i < lines.size(); i++) {
      if (rows.isEmpty() || width(i) > room) {
        rows.add(new ArrayList<>());
        room = frame.width() - 20.0;
      }
      rows.getLast().add(i);
      room -= width(i);
    }
    return rows;
  }

  /** Returns the width of a line within its row. */
  private double width(int line) {
    return 34 + 6.4 * lines.get(line).name().length();
  }

  /** Without the points between two others of the same value. */
  private String points(List<Point> piece) {
    return IntStream.range(0, piece.size())
        .filter(i -> i == 0 || i == piece.size() - 1 || !isBetweenEqual(piece, i))
        .mapToObj(piece::get)
        .map(point -> Svg.number(x(point.seconds())) + "," + Svg.number(y(point.value())))
        .collect(Collectors.joining(" "));
  }

  private static boolean isBetweenEqual(List<Point> piece, int i) {
    double value = piece.get(i).value();
    return piece.get(i - 1).value() == value && piece.get(i + 1).value() == value;
  }

  private double x(double seconds) {
    double span = Math.max(1, to() - from());
    return left() + (seconds - from()) / span * (right() - left());
  }

  private double y(double value) {
    return bottom() - value / top() * (bottom() - frame.y() - TOP);
  }

  private double left() {
    return frame.x() + (double) LEFT;
  }

  private double right() {
    return frame.x() + frame.width() - 12.0;
  }

  private double bottom() {
    return frame.y() + frame.height() - (double) LEGEND * rows().size() - AXIS;
  }

  /** The highest line of the grid. */
  private double top() {
    return Math.ceil(highest() / step()) * step();
  }

  /** Between lines of the grid: 1, 2 or 5 of some power of ten, and whole where values are. */
  private double step() {
    double least = highest() / STEPS;
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    double step =
        DoubleStream.of(1, 2, 5, 10)
            .map(n -> n * power)
            .filter(n -> n >= least)
            .findFirst()
            .orElse(10 * power);
    boolean whole = over(Point::value).allMatch(value -> value == Math.rint(value));
    return whole ? Math.max(1, step) : step;
  }

  private double highest() {
    double highest = over(Point::value).max().orElseThrow();
    return highest <= 0 ? 1 : highest;
  }

  private double from() {
    return over(Point::seconds).min().orElseThrow();
  }

  private double to() {
    return over(Point::seconds).max().orElseThrow();
  }

  private DoubleStream over(ToDoubleFunction<Point> value) {
    return lines.stream().flatMap(line -> line.points().stream()).mapToDouble(value);
  }
}
