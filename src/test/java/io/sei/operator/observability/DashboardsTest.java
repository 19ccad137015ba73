package io.sei.operator.observability;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.DebianTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks what Grafana shows of the dashboards of the chart, and where their links lead. */
class DashboardsTest {

  private static final Path RUNBOOKS = Path.of("docs", "runbooks");

  /** Green: well. */
  private static final Set<String> WELL = Set.of("Running", "Ready", "Runs");

  /** Yellow: in progress, or waits on purpose. */
  private static final Set<String> WAITS =
      Set.of(
          "Pending",
          "Initializing",
          "Upgrading",
          "Paused",
          "Degraded",
          "Terminating",
          "Not ready",
          "Unknown",
          "Halted",
          "Held");

  /** Red: needs a person. */
  private static final Set<String> NEEDS_A_PERSON = Set.of("Failed", "Stalled");

  /** The status of a condition: whether True is well, bad or on purpose decides its colour. */
  private static final Map<String, String> OF_CONDITIONS =
      Map.of(
          "11", "True green",
          "12", "False yellow",
          "13", "Unknown yellow",
          "14", "False green",
          "15", "True red",
          "16", "False green",
          "17", "True yellow");

  /** A label's value and the number by which a panel shows it. */
  private static final Pattern SHOWN_AS = Pattern.compile("\\{[^}]*phase=\"(\\w+)\"} \\* (\\d+)");

  private static final Pattern LABEL =
      Pattern.compile("\\$\\{__(?:field\\.labels|data\\.fields)\\.(\\w+)}");
  private static final Pattern DASHBOARD = Pattern.compile("/d/([\\w-]+)\\?(.*)");

  /** A link of a panel, with the labels that its queries have. */
  private record Link(String place, String url, Set<String> labels) {}

  @Test
  void everyQueryIsLimitedToTheChosenClusters() {
    MonitoringFiles.expressions()
        .forEach(
            (place, expression) -> {
              if (place.contains(".json ") && !place.endsWith(", cluster)")) {
                assertThat(PromQuery.parse(expression).selectors())
                    .as(place)
                    .isNotEmpty()
                    .allSatisfy(selector -> assertThat(selector.labels()).containsKey("cluster"));
              }
            });
  }

  /**
   * Grafana shows the number of a single series, here always 1, unless it is asked for the name.
   */
  @Test
  void reasonsAreShownByTheirNames() {
    List<JsonNode> named =
        panels("stat")
            .filter(panel -> panel.at("/targets/0/legendFormat").asText().contains("{{"))
            .toList();

    assertThat(named)
        .hasSize(2)
        .allSatisfy(
            panel ->
                assertThat(panel.at("/options/textMode").asText())
                    .as(panel.get("title").asText())
                    .isEqualTo("name"));
  }

  @Test
  void aStateHasTheSameColourEverywhere() {
    List<JsonNode> mappings =
        panels("state-timeline").map(panel -> panel.at("/fieldConfig/defaults/mappings")).toList();

    assertThat(mappings).hasSizeGreaterThan(8).containsOnly(mappings.getFirst());
    states()
        .forEach(
            (value, state) -> {
              String name = state.get("text").asText();
              String expected =
                  OF_CONDITIONS.containsKey(value) ? OF_CONDITIONS.get(value) : colourOf(name);
              assertThat(name + " " + state.get("color").asText()).isEqualTo(expected);
            });
  }

  /** Returns the name of a state with the colour of its meaning. */
  private static String colourOf(String state) {
    if (WELL.contains(state)) {
      return state + " green";
    }
    assertThat(state).isIn(Stream.concat(WAITS.stream(), NEEDS_A_PERSON.stream()).toList());
    return state + (WAITS.contains(state) ? " yellow" : " red");
  }

  @Test
  void everyPhaseIsShownByItsNameAndColour() {
    assertThat(phasesShownAs("node.json", "State"))
        .isEqualTo(named(Stream.of(NodePhase.values()).map(NodePhase::toString)));
    for (String title : List.of("fleet.json State", "overview.json Fleets")) {
      assertThat(phasesShownAs(title.split(" ")[0], title.split(" ")[1]))
          .as(title)
          .isEqualTo(named(Stream.of(FleetPhase.values()).map(FleetPhase::toString)));
    }
    Map<String, String> ofLines = new TreeMap<>();
    panel("overview.json", "Nodes by phase")
        .at("/fieldConfig/overrides")
        .forEach(
            override ->
                ofLines.put(
                    override.at("/matcher/options").asText(),
                    override.at("/properties/0/value/fixedColor").asText()));
    assertThat(ofLines)
        .allSatisfy((phase, colour) -> assertThat(phase + " " + colour).isEqualTo(colourOf(phase)))
        .containsOnlyKeys(Stream.of(NodePhase.values()).map(NodePhase::toString).toList());
  }

  private static Map<String, String> phasesShownAs(String file, String title) {
    Map<String, String> names = new TreeMap<>();
    SHOWN_AS
        .matcher(panel(file, title).at("/targets/0/expr").asText())
        .results()
        .forEach(
            shown -> names.put(shown.group(1), states().get(shown.group(2)).get("text").asText()));
    return names;
  }

  private static Map<String, String> named(Stream<String> phases) {
    Map<String, String> names = new TreeMap<>();
    phases.forEach(phase -> names.put(phase, phase));
    return names;
  }

  /** Panels without states use these three colours, or those of their places in the legend. */
  @Test
  void otherColoursMeanTheSame() {
    for (JsonNode dashboard : MonitoringFiles.dashboards().values()) {
      for (JsonNode panel : dashboard.get("panels")) {
        List<String> colours = new ArrayList<>(panel.findValuesAsText("fixedColor"));
        panel
            .at("/fieldConfig/defaults/thresholds/steps")
            .forEach(step -> colours.add(step.get("color").asText()));
        assertThat(colours).as(panel.get("title").asText()).isSubsetOf("green", "yellow", "red");
      }
    }
  }

  /** A line from 1 to 0 says less than the name of a state, and ten lines at 1 say nothing. */
  @Test
  void stateThatChangesIsATimeline() {
    assertThat(panels("timeseries"))
        .noneMatch(
            panel ->
                panel
                    .at("/targets/0/expr")
                    .asText()
                    .matches(
                        "max by [^(]*\\([^)]*\\) \\(sei_\\w+_(phase|condition|stalled|halted).*"));
    assertThat(
            MonitoringFiles.dashboards().values().stream()
                .map(dashboard -> dashboard.get("panels").valueStream())
                .map(
                    all ->
                        all.filter(panel -> panel.get("type").asText().equals("state-timeline"))
                            .count()))
        .allMatch(count -> count > 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "node.json | State | 0 | sei_node_phase{phase=\"Running\"} | 3",
        "node.json | State | 1 | sei_node_condition{type=\"Ready\",status=\"true\"} | 21",
        "node.json | State | 1 | sei_node_condition{type=\"Ready\",status=\"unknown\"} | 23",
        "node.json | State | 2 | sei_node_halted{} | 17",
        "node.json | State | 5 | sei_node_stalled{reason=\"CrashLoop\"} | 26",
        "node.json | Image of seid | 0 |"
            + " container_memory_working_set_bytes{pod=\"n-0\",container=\"seid\",image=\"sei\"} |"
            + " 31",
        "node.json | Signing state | 1 | sei_node_signing_key_shared{} | 15",
        "node.json | Conditions | 0 | sei_node_condition{type=\"CaughtUp\",status=\"false\"} | 12",
        "node.json | Conditions | 1 | sei_node_condition{type=\"DataVolumeAtRisk\",status=\"true\"}"
            + " | 15",
        "node.json | Conditions | 2 | sei_node_condition{type=\"Held\",status=\"true\"} | 17",
        "fleet.json | State | 0 | sei_snd_phase{phase=\"Paused\"} | 6",
        "overview.json | Nodes that are not Ready | 0 |"
            + " sei_node_condition{type=\"Ready\",status=\"false\"} | 22",
        "overview.json | Nodes that are not Ready | 0 | sei_node_halted{} | 24",
        "overview.json | Nodes that are not Ready | 0 | sei_node_stalled{reason=\"CrashLoop\"} |"
            + " 26",
        "operator.json | State | 0 | sei_watch_age_seconds{} | 14",
      })
  void stateIsShownByItsNumber(
      String file, String title, int target, String series, int value, @TempDir Path directory)
      throws IOException {
    String named =
        series.replace("{", "{namespace=\"a\",name=\"n\",cluster=\"c\",").replace(",}", "}");
    String query = filled(panel(file, title).at("/targets/" + target + "/expr").asText());
    // Phases that the node is not in are there as well, as 0.
    String others = named.replaceAll("phase=\"\\w+\"", "phase=\"Failed\"");
    var inputs = new TreeMap<String, String>(Map.of(named, "1x5"));
    inputs.putIfAbsent(others, "0x5");
    write(
        directory.resolve("states.yaml"),
        Map.of(
            "tests",
            List.of(
                Map.of(
                    "interval",
                    "1m",
                    "input_series",
                    inputs.entrySet().stream()
                        .map(input -> Map.of("series", input.getKey(), "values", input.getValue()))
                        .toList(),
                    "promql_expr_test",
                    List.of(
                        Map.of(
                            "expr",
                            "max(" + query + ")",
                            "eval_time",
                            "5m",
                            "exp_samples",
                            List.of(Map.of("labels", "{}", "value", value))))))));

    DebianTool.Run run = DebianTool.PROMTOOL.run(directory, "test", "rules", "states.yaml");

    assertThat(run.exitCode()).as(run.output()).isZero();
  }

  @Test
  void everyQueryIsWellFormed(@TempDir Path directory) throws IOException {
    List<Map<String, String>> rules = new ArrayList<>();
    MonitoringFiles.expressions()
        .forEach(
            (place, expression) ->
                rules.add(
                    Map.of(
                        "record", "dashboard:query:" + rules.size(), "expr", filled(expression))));
    write(
        directory.resolve("queries.yaml"),
        Map.of("groups", List.of(Map.of("name", "dashboards", "rules", rules))));

    DebianTool.Run run = DebianTool.PROMTOOL.run(directory, "check", "rules", "queries.yaml");

    assertThat(run.exitCode()).as(run.output()).isZero();
  }

  /** Returns a query as Grafana sends it. */
  private static String filled(String expression) {
    return expression
        .replace("$cluster", ".*")
        .replace("$namespace", "a")
        .replace("$name", "n")
        .replace("$chain", ".*")
        .replace("$__rate_interval", "1m");
  }

  private static void write(Path file, Object content) throws IOException {
    Files.writeString(file, new YAMLMapper().writeValueAsString(content));
  }

  @Test
  void everyLinkLeadsSomewhere() {
    Map<String, JsonNode> targets = new TreeMap<>();
    MonitoringFiles.dashboards()
        .values()
        .forEach(dashboard -> targets.put(dashboard.get("uid").asText(), dashboard));
    for (Link link : links()) {
      MatchResult runbook =
          Pattern.compile("docs/runbooks/(.*)\\.md")
              .matcher(link.url())
              .results()
              .findFirst()
              .orElse(null);
      if (runbook != null) {
        assertThat(pagesOf(runbook.group(1))).as(link.place()).allMatch(Files::isRegularFile);
      } else {
        MatchResult dashboard = DASHBOARD.matcher(link.url()).results().findFirst().orElseThrow();
        assertThat(targets).as(link.place()).containsKey(dashboard.group(1));
        assertThat(variables(targets.get(dashboard.group(1))))
            .as(link.place())
            .containsAll(variablesSet(dashboard.group(2)));
      }
      assertThat(LABEL.matcher(link.url()).results().map(label -> label.group(1)))
          .as(link.place())
          .allMatch(link.labels()::contains);
    }
  }

  @Test
  void everyDashboardLeadsToTheOthersAndDownToTheNode() {
    Map<String, Set<String>> reached = new TreeMap<>();
    MonitoringFiles.dashboards()
        .forEach(
            (file, dashboard) ->
                reached.put(
                    dashboard.get("uid").asText(),
                    dashboard.findValuesAsText("url").stream()
                        .flatMap(url -> DASHBOARD.matcher(url).results())
                        .map(link -> link.group(1))
                        .collect(toSet())));

    reached.forEach(
        (from, to) ->
            assertThat(to)
                .as(from)
                .containsAll(reached.keySet().stream().filter(uid -> !uid.equals(from)).toList()));
    assertThat(links())
        .extracting(Link::place)
        .contains(
            "overview.json Fleets",
            "fleet.json Nodes",
            "node.json Chain, role and fleet",
            "node.json Why it makes no progress");
  }

  /** The pages that a runbook link leads to. */
  private static List<Path> pagesOf(String name) {
    if (!name.startsWith("${")) {
      return List.of(RUNBOOKS.resolve(name + ".md"));
    }
    assertThat(name).endsWith(".reason}");
    return Stream.of(StallReason.values()).map(reason -> RUNBOOKS.resolve(reason + ".md")).toList();
  }

  private static List<String> variables(JsonNode dashboard) {
    return dashboard.at("/templating/list").findValuesAsText("name");
  }

  /** The variables that the query of a link sets. */
  private static List<String> variablesSet(String query) {
    return Stream.of(query.split("&"))
        .map(part -> part.replaceAll("^var-(\\w+)=.*|^\\$\\{(\\w+):queryparam}$", "$1$2"))
        .toList();
  }

  private static List<Link> links() {
    List<Link> links = new ArrayList<>();
    MonitoringFiles.dashboards()
        .forEach(
            (file, dashboard) -> {
              dashboard
                  .get("links")
                  .forEach(link -> links.add(new Link(file, link.get("url").asText(), Set.of())));
              for (JsonNode panel : dashboard.get("panels")) {
                Set<String> labels = PromQuery.parse(expressions(panel)).labels();
                panel
                    .findValuesAsText("url")
                    .forEach(
                        url ->
                            links.add(
                                new Link(file + " " + panel.get("title").asText(), url, labels)));
              }
            });
    return links;
  }

  private static String expressions(JsonNode panel) {
    return panel
        .get("targets")
        .valueStream()
        .map(target -> target.get("expr").asText())
        .collect(joining("\n"));
  }

  private static Stream<JsonNode> panels(String type) {
    return MonitoringFiles.dashboards().values().stream()
        .flatMap(dashboard -> dashboard.get("panels").valueStream())
        .filter(panel -> panel.get("type").asText().equals(type));
  }

  private static JsonNode panel(String file, String title) {
    return MonitoringFiles.dashboards()
        .get(file)
        .get("panels")
        .valueStream()
        .filter(panel -> panel.get("title").asText().equals(title))
        .findFirst()
        .orElseThrow();
  }

  /** The states by the number that stands for them. */
  private static Map<String, JsonNode> states() {
    JsonNode options =
        panels("state-timeline")
            .map(panel -> panel.at("/fieldConfig/defaults/mappings/0/options"))
            .findFirst()
            .orElseThrow();
    Map<String, JsonNode> states = new TreeMap<>();
    options.properties().forEach(state -> states.put(state.getKey(), state.getValue()));
    return states;
  }
}
