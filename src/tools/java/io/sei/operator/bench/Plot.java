package io.sei.operator.bench;

import java.util.Locale;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** A line of medians with their spread over the number of nodes, as SVG. */
record Plot(String title, SortedMap<Integer, Samples> points) {

  private static final int WIDTH = 480;
  private static final int HEIGHT = 280;
  private static final int LEFT = 60;
  private static final int RIGHT = 20;
  private static final int TOP = 40;
  private static final int BOTTOM = 40;

  /**
   * The picture; the number of nodes is on a logarithmic axis, the value on a linear one from 0.
   */
  String svg() {
    String line =
        points.entrySet().stream()
            .map(point -> number(x(point.getKey())) + "," + number(y(point.getValue().median())))
            .collect(Collectors.joining(" "));
    var svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
        <rect width="100%%" height="100%%" fill="white"/>
        <text x="%d" y="20" font-size="14">%s</text>
        <polyline fill="none" stroke="#1f6feb" stroke-width="2" points="%s"/>
        """
            .formatted(WIDTH, HEIGHT, LEFT, title, line));
    for (double share : new double[] {0, 0.25, 0.5, 0.75, 1}) {
      horizontal(svg, share * top());
    }
    points.forEach((nodes, samples) -> point(svg, nodes, samples));
    return svg.append("</svg>\n").toString();
  }

  private void horizontal(StringBuilder svg, double value) {
    svg.append(
        """
        <line x1="%d" x2="%d" y1="%s" y2="%s" stroke="#ddd"/>
        <text x="%d" y="%s" text-anchor="end">%s</text>
        """
            .formatted(
                LEFT,
                WIDTH - RIGHT,
                number(y(value)),
                number(y(value)),
                LEFT - 6,
                number(y(value) + 4),
                label(value)));
  }

  private void point(StringBuilder svg, int nodes, Samples samples) {
    svg.append(
        """
        <line x1="%1$s" x2="%1$s" y1="%2$s" y2="%3$s" stroke="#1f6feb"/>
        <circle cx="%1$s" cy="%4$s" r="3" fill="#1f6feb"/>
        <text x="%1$s" y="%5$d" text-anchor="middle">%6$d nodes</text>
        """
            .formatted(
                number(x(nodes)),
                number(y(samples.min())),
                number(y(samples.max())),
                number(y(samples.median())),
                HEIGHT - BOTTOM + 18,
                nodes));
  }

  private double x(int nodes) {
    double from = Math.log(points.firstKey());
    double to = Math.log(points.lastKey());
    double share = from == to ? 0.5 : (Math.log(nodes) - from) / (to - from);
    return LEFT + 30 + share * (WIDTH - LEFT - RIGHT - 60);
  }

  private double y(double value) {
    return HEIGHT - BOTTOM - value / top() * (HEIGHT - TOP - BOTTOM);
  }

  private double top() {
    double max = points.values().stream().mapToDouble(Samples::max).max().orElseThrow();
    return max == 0 ? 1 : max * 1.1;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static String label(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.0f", value);
  }
}
