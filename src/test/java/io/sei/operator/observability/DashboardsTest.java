package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks how Grafana shows the dashboards of the chart. */
class DashboardsTest {

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
  void phasesAndReasonsAreShownByTheirNames() {
    List<JsonNode> named =
        MonitoringFiles.dashboards().values().stream()
            .flatMap(dashboard -> dashboard.get("panels").valueStream())
            .filter(panel -> panel.get("type").asText().equals("stat"))
            .filter(panel -> panel.at("/targets/0/legendFormat").asText().contains("{{"))
            .toList();

    assertThat(named)
        .hasSize(3)
        .allSatisfy(
            panel ->
                assertThat(panel.at("/options/textMode").asText())
                    .as(panel.get("title").asText())
                    .isEqualTo("name"));
  }
}
