package io.sei.operator.testkit.picture;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A dashboard of the chart as SVG: its panels, by their own queries, where Grafana would put them.
 * Draws what our dashboards use, and refuses anything else.
 *
 * @param dashboard as Grafana takes it
 * @param variables values by name, those of Grafana itself too
 * @param data what answers the queries
 */
public record DashboardPicture(JsonNode dashboard, Map<String, String> variables, Data data) {

  private static final int CELL = 50;
  private static final int ROW = 28;
  private static final int GAP = 8;
  private static final int COLUMNS = 24;
  private static final int LINE = 20;
  private static final Pattern OF_LABEL = Pattern.compile("\\{\\{(\\w+)}}");
  private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)");
  private static final Set<String> NOT_SHOWN = Set.of("Time", "__name__");

  /** Answers the queries of panels, in the form of Prometheus's API. */
  public interface Data {

    /** The series that an expression has now. */
    List<JsonNode> now(String expression);

    /** The series that it had over the time of the picture. */
    List<JsonNode> history(String expression);

    /** Begin of the picture. */
    Instant from();

    /** End of the picture, and the moment of what it shows as of now. */
    Instant until();
  }

  /** Position and size of a panel, in pixels. */
  record Frame(int x, int y, int width, int height) {

    static Frame of(JsonNode grid) {
      return new Frame(
          grid.get("x").asInt() * CELL + GAP / 2,
          grid.get("y").asInt() * ROW + GAP / 2 + 2 * ROW,
          grid.get("w").asInt() * CELL - GAP,
          grid.get("h").asInt() * ROW - GAP);
    }
  }

  /** The picture. */
  public String svg() {
    int bottom =
        panels().stream()
            .map(panel -> Frame.of(panel.get("gridPos")))
            .mapToInt(frame -> frame.y() + frame.height())
            .max()
            .orElseThrow();
    var svg = new Svg(COLUMNS * CELL, bottom + GAP);
    svg.text(GAP, ROW, 18, "start", Svg.DARK, dashboard.get("title").asText());
    svg.text(COLUMNS * CELL - GAP, ROW, 13, "end", Svg.GREY, chosen());
    panels().forEach(panel -> draw(svg, panel));
    return svg.toString();
  }

  /** Returns the choices above the panels. */
  private String chosen() {
    return dashboard
        .at("/templating/list")
        .valueStream()
        .map(variable -> variable.get("name").asText())
        .filter(variables::containsKey)
        .map(name -> name + ": " + variables.get(name))
        .collect(Collectors.joining("    "));
  }

  private List<JsonNode> panels() {
    return dashboard.get("panels").valueStream().toList();
  }

  private void draw(Svg svg, JsonNode panel) {
    Frame frame = Frame.of(panel.get("gridPos"));
    svg.panel(frame, panel.get("title").asText(), asked(panel));
    switch (panel.get("type").asText()) {
      case "stat" -> stat(svg, frame, panel);
      case "table" -> table(svg, frame, panel);
      case "timeseries" -> new TimePlot(frame, lines(panel), unit(panel), noValue(panel)).draw(svg);
      case "state-timeline" ->
          new StateTimeline(frame, lines(panel), PanelColours.of(panel), noValue(panel), data)
              .draw(svg);
      default -> throw new IllegalArgumentException("not known here: " + panel.get("type"));
    }
  }

  /** Returns the query of a panel as the dashboard has it. */
  public static String asked(JsonNode panel) {
    return panel
        .get("targets")
        .valueStream()
        .map(target -> target.get("expr").asText())
        .collect(Collectors.joining("\n"));
  }

  /** Draws a single value as Grafana does: alone, unless the panel asks for its name. */
  private void stat(Svg svg, Frame frame, JsonNode panel) {
    boolean named = panel.at("/options/textMode").asText().equals("name");
    List<String> texts = new ArrayList<>();
    String colour = Svg.GREEN;
    var colours = PanelColours.of(panel);
    for (JsonNode target : panel.get("targets")) {
      for (JsonNode series : data.now(expression(target))) {
        double value = series.at("/value/1").asDouble();
        texts.add(named ? legend(target, series) : unit(panel).text(value));
        colour = colours.ofThreshold(value);
      }
    }
    if (texts.isEmpty()) {
      svg.noData(frame, noValue(panel));
      return;
    }
    int size = Math.min(40, frame.height() / 3);
    int x = frame.x() + frame.width() / 2;
    int y = frame.y() + ROW / 2 + frame.height() / 2 + size / 3;
    svg.text(x, y, size, "middle", colour, String.join(", ", texts));
  }

  private void table(Svg svg, Frame frame, JsonNode panel) {
    List<JsonNode> rows =
        panel
            .get("targets")
            .valueStream()
            .flatMap(target -> data.now(expression(target)).stream())
            .sorted(Comparator.comparing(row -> row.get("metric").toString()))
            .toList();
    if (rows.isEmpty()) {
      svg.noData(frame, noValue(panel));
      return;
    }
    JsonNode options = panel.at("/transformations/0/options");
    Set<String> columns = columns(rows, options.path("excludeByName"));
    var colours = PanelColours.of(panel);
    int width = (frame.width() - GAP) / columns.size();
    int x = frame.x() + GAP;
    for (String column : columns) {
      int y = frame.y() + ROW + LINE;
      String head = options.path("renameByName").path(column).asText(column);
      svg.text(x, y, 12, "start", Svg.BLUE, head);
      for (JsonNode row : rows) {
        y += LINE;
        if (y < frame.y() + frame.height()) {
          String colour = colours.ofField(column).orElse(Svg.DARK);
          svg.text(x, y, 12, "start", colour, cell(row, column, unit(panel)));
        }
      }
      x += width;
    }
  }

  private static Set<String> columns(List<JsonNode> rows, JsonNode excluded) {
    Set<String> columns = new LinkedHashSet<>();
    rows.forEach(row -> row.get("metric").fieldNames().forEachRemaining(columns::add));
    columns.add("Value");
    columns.removeIf(name -> NOT_SHOWN.contains(name) || excluded.path(name).asBoolean());
    return columns;
  }

  private static String cell(JsonNode row, String column, Unit unit) {
    return column.equals("Value")
        ? unit.text(row.at("/value/1").asDouble())
        : row.get("metric").path(column).asText();
  }

  private List<TimePlot.Line> lines(JsonNode panel) {
    List<TimePlot.Line> lines = new ArrayList<>();
    var colours = PanelColours.of(panel);
    for (JsonNode target : panel.get("targets")) {
      for (JsonNode series : data.history(expression(target))) {
        String name = legend(target, series);
        String colour = colours.ofField(name).orElse(Svg.ofLine(lines.size()));
        lines.add(TimePlot.Line.of(name, colour, series.get("values")));
      }
    }
    return lines;
  }

  private String expression(JsonNode target) {
    return VARIABLE
        .matcher(target.get("expr").asText())
        .replaceAll(
            name -> Matcher.quoteReplacement(variables.getOrDefault(name.group(1), name.group())));
  }

  private static String legend(JsonNode target, JsonNode series) {
    UnaryOperator<String> value = label -> series.get("metric").path(label).asText();
    return OF_LABEL
        .matcher(target.path("legendFormat").asText())
        .replaceAll((MatchResult label) -> value.apply(label.group(1)).replace("$", "\\$"))
        .strip();
  }

  /** Returns the text that Grafana shows where no query has an answer. */
  private static String noValue(JsonNode panel) {
    return panel.at("/fieldConfig/defaults/noValue").asText("No data");
  }

  private static Unit unit(JsonNode panel) {
    return new Unit(panel.at("/fieldConfig/defaults/unit").asText());
  }
}
