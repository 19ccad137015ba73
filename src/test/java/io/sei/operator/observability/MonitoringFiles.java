package io.sei.operator.observability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The alerts and dashboards that the chart ships. */
public final class MonitoringFiles {

  private static final Path DIRECTORY = Path.of("deploy", "helm", "sei-operator", "files");
  private static final List<Path> RULES =
      Stream.of("prometheus-rules.yaml", "go-operator-metrics.yaml")
          .map(DIRECTORY::resolve)
          .toList();
  private static final Path DASHBOARDS = DIRECTORY.resolve("dashboards");

  private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), *(\\w+)\\)");

  private MonitoringFiles() {}

  /** An alert. */
  record Alert(String name, String duration, String severity, JsonNode annotations) {}

  /** The files of rules, as Prometheus itself takes them. */
  public static List<Path> rulesForPrometheus() {
    return RULES;
  }

  static List<Alert> alerts() {
    return RULES.stream()
        .flatMap(MonitoringFiles::rules)
        .filter(rule -> rule.has("alert"))
        .map(
            rule ->
                new Alert(
                    rule.get("alert").asText(),
                    rule.path("for").asText(),
                    rule.path("labels").path("severity").asText(),
                    rule.path("annotations")))
        .toList();
  }

  /** Names of the metrics that the rules make themselves. */
  static List<String> recorded() {
    return RULES.stream()
        .flatMap(MonitoringFiles::rules)
        .filter(rule -> rule.has("record"))
        .map(rule -> rule.get("record").asText())
        .toList();
  }

  /** Every expression in a rule, a panel or a variable of a dashboard, by where it stands. */
  static Map<String, String> expressions() {
    Map<String, String> expressions = new TreeMap<>();
    for (Path file : RULES) {
      rules(file)
          .map(rule -> rule.get("expr").asText())
          .forEach(expr -> expressions.put(file.getFileName() + " " + expr, expr));
    }
    dashboards()
        .forEach(
            (file, dashboard) -> {
              for (JsonNode expression : dashboard.findValues("expr")) {
                expressions.put(file + " " + expression.asText(), expression.asText());
              }
              for (JsonNode variable : dashboard.path("templating").path("list")) {
                Matcher values = LABEL_VALUES.matcher(variable.path("query").asText());
                if (values.matches()) {
                  expressions.put(
                      file + " " + values.group(),
                      "max by (%s) (%s)".formatted(values.group(2), values.group(1)));
                }
              }
            });
    return expressions;
  }

  /** The dashboards, by the names of their files. */
  public static Map<String, JsonNode> dashboards() {
    try (Stream<Path> files = Files.list(DASHBOARDS)) {
      Map<String, JsonNode> dashboards = new TreeMap<>();
      files.forEach(file -> dashboards.put(file.getFileName().toString(), read(file)));
      return dashboards;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<JsonNode> rules(Path file) {
    return read(file)
        .get("groups")
        .valueStream()
        .flatMap(group -> group.get("rules").valueStream());
  }

  private static JsonNode read(Path file) {
    try {
      ObjectMapper mapper =
          file.toString().endsWith(".json") ? new ObjectMapper() : new YAMLMapper();
      return mapper.readTree(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
