package io.sei.operator.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Medians with their spread over the number of nodes, as SVG that can be read on a light and on a
 * dark ground.
 *
 * @param title what was measured
 * @param unit of the values
 * @param axis of the values; that of the number of nodes is logarithmic
 * @param lines the measurements by the name that the legend gives them
 */
record Plot(String title, String unit, Axis axis, Map<String, SortedMap<Integer, Samples>> lines) {

  enum Axis {
    LINEAR,
    LOGARITHMIC
  }

  private static final int WIDTH = 640;
  private static final int HEIGHT = 400;
  private static final int LEFT = 64;
  private static final int RIGHT = 24;
  private static final int LEGEND = 44;
  private static final int LEGEND_ROW = 18;
  private static final int BOTTOM = 52;
  private static final int MOST_STEPS = 5;

  private static final String STYLE =
      """
      .ground { fill: #ffffff } .grid { stroke: #d0d7de }
      text { fill: #1f2328; font: 12px sans-serif } .title { font-size: 16px; font-weight: bold }
      .line { fill: none; stroke-width: 2 }
      .of0 { stroke: #0969da } .of1 { stroke: #bc4c00; stroke-dasharray: 7 4 } .of2 { stroke: #8250df; stroke-dasharray: 2 4 }
      .spread { stroke-dasharray: none }
      circle.of0 { fill: #0969da } circle.of1 { fill: #bc4c00 } circle.of2 { fill: #8250df }
      @media (prefers-color-scheme: dark) {
        .ground { fill: #0d1117 } .grid { stroke: #3d444d } text { fill: #f0f6fc }
        .of0 { stroke: #58a6ff } .of1 { stroke: #f0883e } .of2 { stroke: #bc8cff }
        circle.of0 { fill: #58a6ff } circle.of1 { fill: #f0883e } circle.of2 { fill: #bc8cff }
      }
      """;

  /** Returns the picture. */
  String svg() {
    var svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" role="img">
        <title>%3$s</title>
        <style>
        %4$s</style>
        <rect width="100%%" height="100%%" class="ground"/>
        <text x="%5$d" y="26" class="title">%3$s</text>
        """
            .formatted(WIDTH, HEIGHT, title, STYLE, LEFT));
    ticks().forEach(value -> horizontal(svg, value));
    text(svg, 8, plotTop() - 14, "start", axis == Axis.LINEAR ? unit : unit + " (logarithmic)");
    sizes().forEach(nodes -> text(svg, x(nodes), HEIGHT - BOTTOM + 18, "middle", "" + nodes));
    text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", "nodes (logarithmic)");
    int index = 0;
    for (var line : lines.entrySet()) {
      legend(svg, index, line.getKey());
      draw(svg, "of" + index, line.getValue());
      index++;
    }
    return svg.append("</svg>\n").toString();
  }

  private void legend(StringBuilder svg, int index, String name) {
    double y = LEGEND + index * (double) LEGEND_ROW;
    segment(svg, "line of" + index, LEFT, LEFT + 28.0, y, y);
    text(svg, LEFT + 36, y + 4, "start", name);
  }

  private void draw(StringBuilder svg, String style, SortedMap<Integer, Samples> points) {
    String line =
        points.entrySet().stream()
            .map(point -> number(x(point.getKey())) + "," + number(y(point.getValue().median())))
            .collect(Collectors.joining(" "));
    svg.append("<polyline class=\"line %s\" points=\"%s\"/>\n".formatted(style, line));
    points.forEach(
        (nodes, samples) -> {
          segment(
              svg, "line spread " + style, x(nodes), x(nodes), y(samples.min()), y(samples.max()));
          svg.append(
              "<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"3.5\"/>\n"
                  .formatted(style, number(x(nodes)), number(y(samples.median()))));
        });
  }

  private void horizontal(StringBuilder svg, double value) {
    segment(svg, "grid", LEFT, WIDTH - RIGHT, y(value), y(value));
    text(
        svg,
        LEFT - 8,
        y(value) + 4,
        "end",
        value < 1 && value > 0 ? "" + value : "%.0f".formatted(value));
  }

  private static void segment(
      StringBuilder svg, String style, double x1, double x2, double y1, double y2) {
    svg.append(
        "<line class=\"%s\" x1=\"%s\" x2=\"%s\" y1=\"%s\" y2=\"%s\"/>\n"
            .formatted(style, number(x1), number(x2), number(y1), number(y2)));
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    svg.append(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n"
            .formatted(number(x), number(y), anchor, text));
  }

  /** Returns the values of the grid: round, and around all that was measured. */
  List<Double> ticks() {
    double most = samples().mapToDouble(Samples::max).max().orElseThrow();
    if (axis == Axis.LINEAR) {
      double step = roundStep(most / MOST_STEPS);
      return DoubleStream.iterate(0, value -> value < most + step, value -> value + step)
          .boxed()
          .toList();
    }
    double least = samples().mapToDouble(Samples::min).min().orElseThrow();
    double from = Math.pow(10, Math.floor(Math.log10(least)));
    return DoubleStream.iterate(from, value -> value < most * 10, value -> value * 10)
        .boxed()
        .toList();
  }

  /** Returns 1, 2 or 5 times a power of ten that is not below the least step. */
  private static double roundStep(double least) {
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    return DoubleStream.of(1, 2, 5)
        .map(factor -> factor * power)
        .filter(step -> step >= least)
        .findFirst()
        .orElse(10 * power);
  }

  private Stream<Samples> samples() {
    return lines.values().stream().flatMap(points -> points.values().stream());
  }

  private SortedMap<Integer, Samples> byNodes() {
    SortedMap<Integer, Samples> all = new TreeMap<>();
    lines.values().forEach(all::putAll);
    return all;
  }

  private Iterable<Integer> sizes() {
    return byNodes().keySet();
  }

  private double x(int nodes) {
    double from = Math.log(byNodes().firstKey());
    double to = Math.log(byNodes().lastKey());
    double share = from == to ? 0.5 : (Math.log(nodes) - from) / (to - from);
    return LEFT + 24 + share * (WIDTH - LEFT - RIGHT - 48);
  }

  private double y(double value) {
    double from = scaled(ticks().getFirst());
    double share = (scaled(value) - from) / (scaled(ticks().getLast()) - from);
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - plotTop());
  }

  private double scaled(double value) {
    return axis == Axis.LINEAR ? value : Math.log10(value);
  }

  private double plotTop() {
    return LEGEND + lines.size() * LEGEND_ROW + 16.0;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
