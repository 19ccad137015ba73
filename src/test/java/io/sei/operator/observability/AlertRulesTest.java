package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.observability.MonitoringFiles.Alert;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.DebianTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The alerts fire when they must, and are silent when they must be. */
class AlertRulesTest {

  private static final Path TESTS = Path.of("src", "test", "resources", "promtool");
  private static final String STOCK = "stock.yaml";
  private static final YAMLMapper YAML = new YAMLMapper();

  @TempDir Path directory;

  static List<String> tests() throws IOException {
    try (Stream<Path> files = Files.list(TESTS)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(f -> !f.equals(STOCK))
          .toList();
    }
  }

  /** Returns the tests of few series first, since {@code make test} runs one. */
  static Stream<String> testsInTwoClusters() throws IOException {
    return Cases.of(
        1, tests().stream().sorted(Comparator.comparing(AlertRulesTest::length)).toList());
  }

  private static long length(String test) {
    return TESTS.resolve(test).toFile().length();
  }

  @BeforeEach
  void prepare() throws IOException {
    try (Stream<Path> files = Files.list(TESTS)) {
      for (Path file :
          Stream.concat(files, MonitoringFiles.rulesForPrometheus().stream()).toList()) {
        Files.copy(file, directory.resolve(file.getFileName()));
      }
    }
  }

  @Test
  void rulesAreWellFormed() {
    List<String> arguments = new ArrayList<>(List.of("check", "rules", STOCK));
    MonitoringFiles.rulesForPrometheus()
        .forEach(file -> arguments.add(file.getFileName().toString()));

    DebianTool.Run run = DebianTool.PROMTOOL.run(directory, arguments.toArray(String[]::new));

    assertThat(run.exitCode()).as(run.output()).isZero();
  }

  @ParameterizedTest
  @MethodSource("tests")
  void firesAndIsSilent(String test) {
    DebianTool.Run run = DebianTool.PROMTOOL.run(directory, "test", "rules", test);

    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.output()).contains("SUCCESS");
  }

  /**
   * Runs each test as one cluster of a ruler that evaluates two (Thanos, Mimir, vmalert), the next
   * test of its file as the other, and every exporter of a cluster as two replicas.
   */
  @ParameterizedTest
  @MethodSource("testsInTwoClusters")
  void firesOnceInItsClusterForReplicatedExporters(String test) throws IOException {
    ObjectNode file = (ObjectNode) YAML.readTree(TESTS.resolve(test).toFile());
    file.putArray("rule_files").add(ruleFileOf(test));
    file.set("tests", inTwoClusters(file.get("tests")));
    YAML.writeValue(directory.resolve("clusters.yaml").toFile(), file);

    DebianTool.Run run = DebianTool.PROMTOOL.run(directory, "test", "rules", "clusters.yaml");

    assertThat(run.exitCode()).as(run.output()).isZero();
  }

  /** The rules under test, without the stock alerts that ours replace. */
  private static String ruleFileOf(String test) throws IOException {
    JsonNode files = YAML.readTree(TESTS.resolve(test).toFile()).get("rule_files");
    return files
        .valueStream()
        .map(JsonNode::asText)
        .filter(file -> !file.equals(STOCK))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void everyJoinAndAggregationKeepsClustersApart() {
    var grouping =
        Pattern.compile("\\b(?:(?:max|min|sum|count|group|topk|avg)\\b(?! by)|by|on) *\\(([^)]*)");
    MonitoringFiles.expressions()
        .forEach(
            (place, expression) -> {
              if (place.contains(".yaml ")) {
                // Only the absence of every cluster concerns no cluster.
                String inClusters = expression.replaceAll("or on \\(\\)\\s+absent", "");
                assertThat(grouping.matcher(inClusters).results().map(match -> match.group(1)))
                    .as(place)
                    .allSatisfy(labels -> assertThat(labels).startsWith("cluster"));
              }
            });
  }

  private static ArrayNode inTwoClusters(JsonNode tests) {
    // A cluster without any series is unknown to the ruler.
    List<JsonNode> clusters =
        tests.valueStream().filter(test -> !test.get("input_series").isEmpty()).toList();
    ArrayNode pairs = YAML.createArrayNode();
    for (int i = 0; i < clusters.size(); i++) {
      JsonNode other = clusters.get((i + 1) % clusters.size());
      ObjectNode pair = pairs.addObject();
      pair.put("name", clusters.get(i).path("name").asText() + "; beside: " + other.path("name"));
      pair.set("interval", clusters.get(i).get("interval"));
      ArrayNode series = pair.putArray("input_series");
      ArrayNode expected = pair.putArray("promql_expr_test");
      addCluster("a", clusters.get(i), series, expected);
      addCluster("b", other, series, expected);
    }
    return pairs;
  }

  private static void addCluster(
      String cluster, JsonNode test, ArrayNode series, ArrayNode expected) {
    for (JsonNode input : test.get("input_series")) {
      // Only the replica that leads counts reconciles.
      boolean isCounted = input.get("series").asText().startsWith("sei_reconcile_errors_total");
      for (String replica : isCounted ? List.of("1") : List.of("1", "2")) {
        series
            .addObject()
            .put(
                "series",
                input
                    .get("series")
                    .asText()
                    .replaceFirst(
                        "\\{", "{cluster=\"%s\",replica=\"%s\",".formatted(cluster, replica)))
            .set("values", input.get("values"));
      }
    }
    for (JsonNode query : test.path("promql_expr_test")) {
      ObjectNode inCluster = expected.addObject();
      String selector = "{cluster=\"" + cluster + "\",";
      inCluster.put(
          "expr",
          query
              .get("expr")
              .asText()
              .replaceAll("(ALERTS|sei_controller_\\w+)(\\{|\\b)", "$1" + selector)
              .replaceAll(",$", "}"));
      inCluster.set("eval_time", query.get("eval_time"));
      ArrayNode samples = inCluster.putArray("exp_samples");
      for (JsonNode sample : query.path("exp_samples")) {
        String labels = sample.get("labels").asText();
        if (labels.contains("\"Stock") || labels.contains("\"Naive")) {
          continue;
        }
        samples
            .addObject()
            .put("labels", labels.replaceFirst("^(\\w+)\\{", "$1" + selector))
            .set("value", sample.get("value"));
      }
    }
  }

  @Test
  void everyAlertIsSeenToFireInSomeTest() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String test : tests()) {
      all.append(Files.readString(TESTS.resolve(test)));
    }

    for (Alert alert : MonitoringFiles.alerts()) {
      assertThat(all).contains("{alertname=\"" + alert.name() + "\"");
    }
  }

  @Test
  void everyReasonOfAStallFires() throws IOException {
    var series = new StringBuilder();
    var firing = new StringBuilder();
    // Those of an invalid spec and of a halt are alerts of their own.
    for (StallReason reason :
        EnumSet.complementOf(EnumSet.of(StallReason.INVALID_SPEC, StallReason.HALTED_AT_UPGRADE))) {
      series.append(
          """
                - series: 'sei_node_stalled{namespace="sei",name="%1$s",reason="%1$s"}'
                  values: '1x20'
          """
              .formatted(reason));
      firing.append(
          """
                    - labels: '{reason="%s"}'
                      value: 1
          """
              .formatted(reason));
    }
    Files.writeString(
        directory.resolve("reasons.yaml"),
        """
        rule_files: [%s]
        tests:
          - interval: 1m
            input_series:
        %s    promql_expr_test:
              - expr: count by (reason) (ALERTS{alertname=~"SeiNodeStalled|SeiHeightStandsStill",alertstate="firing"})
                eval_time: 10m
                exp_samples:
        %s\
        """
            .formatted(MonitoringFiles.rulesForPrometheus().get(0).getFileName(), series, firing));

    DebianTool.Run run = DebianTool.PROMTOOL.run(directory, "test", "rules", "reasons.yaml");

    assertThat(run.exitCode()).as(run.output()).isZero();
  }

  @Test
  void everyAlertSaysHowBadItIsAndWhatToType() {
    assertThat(MonitoringFiles.alerts())
        .allSatisfy(
            alert -> {
              assertThat(alert.severity()).isIn("critical", "warning", "info");
              assertThat(alert.duration()).isNotEmpty();
              assertThat(alert.annotations().path("summary").asText()).isNotEmpty();
              assertThat(alert.annotations().path("description").asText())
                  .containsPattern("[Tt]ype:\\s+kubectl");
            });
  }
}
