package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.observability.MonitoringFiles;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import io.sei.operator.testkit.machine.Prometheus;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs the chart's parts for Prometheus and Grafana, with a real Prometheus and a real chain. */
class MonitoringOnMachineTest extends MachineTestCase {

  private static final String FLEET = "rpc";

  /** Panels that show nothing on a calm fleet of two nodes, each with a chain of its own. */
  private static final Set<String> EMPTY_HERE =
      Set.of(
          // Nothing is wrong, and no plan or rollout is under way.
          "fleet.json Rollout under way for",
          "fleet.json Why nodes make no progress",
          "node.json Why it makes no progress",
          "operator.json Plans that failed",
          "operator.json Time since a plan under way was looked at",
          "overview.json Nodes that are not Ready",
          "overview.json Nodes that make no progress",
          "overview.json Out-of-date pods, by node",
          // No snapshot is scheduled.
          "fleet.json Age of the newest snapshot",
          "fleet.json Failed snapshots",
          // No upgrade is listed or planned.
          "node.json Not ready for an upgrade ahead",
          "node.json Upgrades that are listed",
          "overview.json Time to the planned upgrade",
          "overview.json Upgrades that are listed",
          // seid has no series of peers before its first peer.
          "overview.json Peers",
          // The fleet's nodes are no validators to the operator.
          "node.json Signing state");

  /** Depends on what else writes to the disk of the machine. */
  private static final String OF_ITS_DISK = "node.json Volume is full in";

  @Test
  void monitorsFindTheirTargetsAndEveryQueryIsAnswered() {
    apply(Manifests.fleet(FLEET, Chain.V1.image()));
    awaitBlocks();

    try (var prometheus =
        Prometheus.start(machine, directory, MonitoringFiles.rulesForPrometheus())) {
      eventually(() -> assertThat(up(prometheus, "sei-operator/metrics")).hasSize(1));
      eventually(
          () ->
              assertThat(up(prometheus, "sei-operator-nodes/metrics"))
                  .containsExactlyInAnyOrder(FLEET + "-0", FLEET + "-1"));
      eventually(() -> assertThat(prometheus.badRules()).isEmpty());
      eventually(() -> assertThat(empty(prometheus)).isEqualTo(EMPTY_HERE));
    }
  }

  private void awaitBlocks() {
    for (int ordinal = 0; ordinal < 2; ordinal++) {
      awaitHeight(FLEET + "-" + ordinal + "-0", 3);
    }
    eventually(
        () ->
            assertThat(field("seinodedeployments", FLEET, "status.readyReplicas")).isEqualTo("2"));
  }

  /** The names of the targets that answer. */
  private static List<String> up(Prometheus prometheus, String job) {
    return prometheus.targets(job).stream()
        .filter(target -> target.get("health").asText().equals("up"))
        .map(target -> target.at("/labels/name").asText())
        .toList();
  }

  /** The panels, by dashboard and title, of which no query gives anything. */
  private Set<String> empty(Prometheus prometheus) {
    return MonitoringFiles.dashboards().entrySet().stream()
        .flatMap(
            dashboard ->
                panels(dashboard.getValue())
                    .filter(panel -> panel.has("targets"))
                    .filter(panel -> isEmpty(prometheus, dashboard.getKey(), panel))
                    .map(panel -> dashboard.getKey() + " " + panel.get("title").asText()))
        .filter(panel -> !panel.equals(OF_ITS_DISK))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<JsonNode> panels(JsonNode dashboard) {
    return dashboard.get("panels").valueStream();
  }

  private boolean isEmpty(Prometheus prometheus, String dashboard, JsonNode panel) {
    return panel
        .get("targets")
        .valueStream()
        .map(target -> withVariables(target.get("expr").asText(), dashboard))
        .map(prometheus::query)
        .toList()
        .stream()
        .allMatch(List::isEmpty);
  }

  private String withVariables(String expression, String dashboard) {
    return expression
        .replace("$namespace", namespace)
        .replace("$name", dashboard.startsWith("node") ? FLEET + "-0" : FLEET)
        .replace("$cluster", ".*")
        .replace("$chain", "atlantic-2")
        .replace("$__rate_interval", "30s");
  }
}
