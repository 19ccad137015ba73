package io.sei.operator.observability;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A scrape in the Prometheus text format: series and families by the metric's name. */
record Scrape(Map<String, List<Series>> metrics, Map<String, Family> families) {

  /** One line of a scrape. */
  record Series(String metric, Map<String, String> labels, double value) {}

  /** Help and type of a metric in a scrape. */
  record Family(String name, String type, String help) {}

  private static final Pattern LINE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern COMMENT = Pattern.compile("# (HELP|TYPE) (\\S+) (.*)");

  static Scrape parse(String text) {
    Map<String, List<Series>> metrics = new TreeMap<>();
    Map<String, String> types = new TreeMap<>();
    Map<String, String> helps = new TreeMap<>();
    text.lines()
        .forEach(
            line -> {
              Matcher comment = COMMENT.matcher(line);
              Matcher sample = LINE.matcher(line);
              if (comment.matches()) {
                (comment.group(1).equals("HELP") ? helps : types)
                    .put(comment.group(2), comment.group(3));
              } else if (sample.matches()) {
                metrics
                    .computeIfAbsent(sample.group(1), metric -> new ArrayList<>())
                    .add(
                        new Series(
                            sample.group(1),
                            labels(sample.group(2)),
                            Double.parseDouble(sample.group(3).replace("Inf", "Infinity"))));
              }
            });
    Map<String, Family> families = new TreeMap<>();
    types.forEach(
        (name, type) -> families.put(name, new Family(name, type, helps.getOrDefault(name, ""))));
    return new Scrape(metrics, families);
  }

  /** Series of a metric. */
  Stream<Series> of(String metric) {
    return metrics.getOrDefault(metric, List.of()).stream();
  }

  /** Series of our own state gauges, which belong to an object. */
  List<Series> ofObjects() {
    return metrics.keySet().stream()
        .filter(metric -> metric.matches("sei_(node|snd)_.*|sei_plan_last_looked_seconds"))
        .flatMap(this::of)
        .toList();
  }

  /** Metrics of our own, without the greatest value of late that each timer also reports. */
  List<Family> own() {
    return families.values().stream()
        .filter(family -> family.name().startsWith("sei_") && !family.name().endsWith("_max"))
        .toList();
  }

  /**
   * Names of the labels that series of a family have, apart from those of a histogram's buckets.
   */
  Set<String> labels(Family family) {
    String name = family.name();
    return Stream.of(name, name + "_bucket", name + "_count", name + "_sum")
        .flatMap(this::of)
        .flatMap(candidate -> candidate.labels().keySet().stream())
        .filter(label -> !label.equals("le"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Map<String, String> labels(String text) {
    Map<String, String> labels = new TreeMap<>();
    Matcher matcher = LABEL.matcher(text == null ? "" : text);
    while (matcher.find()) {
      labels.put(matcher.group(1), matcher.group(2));
    }
    return labels;
  }
}
