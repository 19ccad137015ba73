package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares docs/from-the-go-operator.md with the rules that record metrics of the Go operator. */
class GoOperatorMetricsTest {

  private static final Path PAGE = Path.of("docs", "from-the-go-operator.md");
  private static final Path PROMTOOL_TEST =
      Path.of("src", "test", "resources", "promtool", "go-operator.yaml");
  private static final String PREFIX = "sei_controller_";
  private static final Pattern CODE = Pattern.compile("`([a-z_]+)[`{]");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

  /**
   * A metric of the Go operator.
   *
   * @param ours metrics of this operator that its row names
   */
  private record Row(String metric, Set<String> labels, Set<String> ours, boolean recorded) {

    static Row parse(String line) {
      String[] cells = line.split("\\|");
      return new Row(
          codes(cells[1]).iterator().next(),
          codes(cells[2]),
          codes(cells[3]),
          cells[4].strip().equals("yes"));
    }

    private static Set<String> codes(String cell) {
      return all(CODE, cell);
    }
  }

  private static List<Row> rows;

  @BeforeAll
  static void read() throws IOException {
    try (Stream<String> lines = Files.lines(PAGE)) {
      rows = lines.filter(line -> line.startsWith("| `" + PREFIX)).map(Row::parse).toList();
    }
  }

  @Test
  void thePageHasEveryMetricThatIsRecorded() {
    assertThat(rows).hasSize(12).extracting(Row::metric).doesNotHaveDuplicates();
    assertThat(rows.stream().filter(Row::recorded).map(Row::metric))
        .containsExactlyInAnyOrderElementsOf(
            MonitoringFiles.recorded().stream()
                .filter(metric -> metric.startsWith(PREFIX))
                .collect(Collectors.toSet()));
  }

  @Test
  void thePageNamesMetricsThatExist() {
    Set<String> existing =
        MetricsPage.sample().own().stream().map(Scrape.Family::name).collect(Collectors.toSet());

    assertThat(rows).allSatisfy(row -> assertThat(existing).containsAll(row.ours()));
    assertThat(rows)
        .filteredOn(Row::recorded)
        .allSatisfy(row -> assertThat(row.ours()).isNotEmpty());
  }

  /** Promtool proves what comes out, so that is compared with what the Go operator had. */
  @Test
  void whatIsRecordedHasTheLabelsOfTheGoOperator() throws IOException {
    JsonNode tests = new YAMLMapper().readTree(PROMTOOL_TEST.toFile()).get("tests");
    List<JsonNode> queries =
        tests.valueStream().flatMap(test -> test.get("promql_expr_test").valueStream()).toList();

    assertThat(rows)
        .filteredOn(Row::recorded)
        .allSatisfy(
            row -> {
              List<JsonNode> samples =
                  queries.stream()
                      .filter(query -> query.get("expr").asText().equals(row.metric()))
                      .flatMap(query -> query.get("exp_samples").valueStream())
                      .toList();
              assertThat(samples)
                  .isNotEmpty()
                  .allSatisfy(
                      sample ->
                          assertThat(all(LABEL, sample.get("labels").asText()))
                              .isEqualTo(row.labels()));
            });
  }

  private static Set<String> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
