package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.observability.MonitoringFiles.Alert;
import io.sei.operator.testkit.DebianTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
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

  @TempDir Path directory;

  static List<String> tests() throws IOException {
    try (Stream<Path> files = Files.list(TESTS)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(f -> !f.equals(STOCK))
          .toList();
    }
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
    // It has an alert of its own.
    for (StallReason reason : EnumSet.complementOf(EnumSet.of(StallReason.INVALID_SPEC))) {
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
