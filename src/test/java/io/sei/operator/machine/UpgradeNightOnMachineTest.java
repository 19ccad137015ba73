package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.observability.MonitoringFiles;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Prometheus;
import io.sei.operator.testkit.picture.DashboardPicture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Halts a chain for an upgrade, and draws the dashboards as they show it: a fleet continues by
 * itself, and a node whose image has a typo waits until a user corrects it.
 */
@Tag("long")
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class UpgradeNightOnMachineTest extends MachineTestCase {

  private static final String FLEET = "net";
  private static final String LATE = "rpc";
  private static final String CHAIN = "lab-1";

  /** Directory from which {@code make pictures} takes them. */
  private static final Path PICTURES = Path.of("target", "pictures");

  private static final int MOST_POINTS = 150;

  private static final String SPEC =
      """
      chainId: %s
      image: %s
      sidecar: {image: "ghcr.io/sei-protocol/seictl:v0.0.70"}
      peers: [{label: {selector: {sei.io/chain: %s}}}]
      terminationGracePeriodSeconds: 20
      resources: {requests: {cpu: 10m, memory: 64Mi}}
      """
          .formatted(CHAIN, Chain.V1_MINOR.image(), CHAIN);

  private static final String NIGHT =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeDeployment
      metadata: {name: net}
      spec:
        replicas: 4
        genesis: {chainId: lab-1, accountBalance: 50000000usei}
        template:
          spec:
            validator: {}
            upgrades: %s
      %s
      ---
      apiVersion: sei.io/v1alpha1
      kind: SeiNode
      metadata: {name: rpc}
      spec:
        fullNode: {}
        genesis: {configMap: {name: net-genesis, key: genesis.json.gz}}
        upgrades: %s
      %s
      """
          .formatted(
              upgrades(Chain.V2.image()),
              SPEC.indent(6),
              upgrades(Chain.V2.image() + "-typo"),
              SPEC.indent(2));

  @Test
  void dashboardsShowWhoGoesOnAndWhoWaits() throws IOException {
    apply(NIGHT);
    awaitHeight(pod(LATE), 2);
    try (var prometheus =
        Prometheus.start(machine, directory, MonitoringFiles.rulesForPrometheus())) {
      Instant evening = Instant.now();

      awaitFleet(prometheus, Chain.MINOR_HEIGHT + 60);
      assertThat(field("seinodes", LATE, "status.conditions[?(@.type=='Ready')].status"))
          .isEqualTo("False");
      Instant night = Instant.now();
      kubectl(
          "patch",
          "seinode",
          LATE,
          "--type=merge",
          "-p",
          "{\"spec\":{\"upgrades\":%s}}".formatted(upgrades(Chain.V2.image())));
      awaitBlock(prometheus, LATE, Chain.MINOR_HEIGHT + 60);
      awaitFleet(prometheus, Chain.MINOR_HEIGHT + 160);
      Instant morning = Instant.now();

      draw(prometheus, "overview", FLEET, evening, night);
      draw(prometheus, "fleet", FLEET, evening, morning);
      draw(prometheus, "node", LATE, evening, morning);
      draw(prometheus, "operator", "", evening, morning);
    }
  }

  private void awaitFleet(Prometheus prometheus, int height) {
    IntStream.range(0, 4).forEach(ordinal -> awaitBlock(prometheus, FLEET + "-" + ordinal, height));
  }

  /** Pods that are replaced have another address. */
  private void awaitBlock(Prometheus prometheus, String node, int height) {
    eventually(
        () -> {
          prometheus.discover();
          assertThat(heightNow(pod(node))).as(node).isGreaterThanOrEqualTo(height);
        });
  }

  private void draw(
      Prometheus prometheus, String dashboard, String name, Instant from, Instant until)
      throws IOException {
    long step = 1 + Duration.between(from, until).toSeconds() / MOST_POINTS;
    var data =
        new DashboardPicture.Data() {
          @Override
          public List<JsonNode> now(String expression) {
            return prometheus.query(expression, until);
          }

          @Override
          public List<JsonNode> history(String expression) {
            return prometheus.history(expression, from, until, step);
          }

          @Override
          public Instant from() {
            return from;
          }

          @Override
          public Instant until() {
            return until;
          }
        };
    var variables =
        Map.of(
            "cluster",
            ".*",
            "namespace",
            namespace,
            "name",
            name,
            "chain",
            CHAIN,
            "__rate_interval",
            "30s");
    String svg =
        new DashboardPicture(MonitoringFiles.dashboards().get(dashboard + ".json"), variables, data)
            .svg();
    Files.createDirectories(PICTURES);
    // The name of a test's namespace says nothing.
    Files.writeString(
        PICTURES.resolve("dashboard-" + dashboard + ".svg"), svg.replace(namespace, "sei"));
    if (!name.isEmpty()) {
      assertThat(svg).contains(name);
    }
  }

  private static String upgrades(String image) {
    return "[{\"name\":\"v2\",\"height\":%d,\"image\":\"%s\"}]"
        .formatted(Chain.MINOR_HEIGHT, image);
  }

  private static String pod(String node) {
    return node + "-0";
  }
}
