package io.sei.operator.node;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.sei.operator.SeiOperator;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.kube.WatchMonitor;
import io.sei.operator.testkit.MicroTime;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Metrics tell what others stored; reading them is no reason to ask anybody anything. */
class ScrapeTest extends ConfigTestCase {

  private static final String LEASE = "held";

  @Test
  void aScrapeOfAStandbyAsksNoSidecar() {
    createPeer("other");
    eventually(
        () ->
            assertThat(read(SeiNode.class, "other").getStatus().phase())
                .isEqualTo(NodePhase.RUNNING));
    create(specOf("'fullNode':{},'peers':[{'label':{'selector':{'fleet':'x'}}}]"));
    awaitUpToDate(A);
    operator.stop();
    holdLease();
    try (var standbyClient = KubernetesClients.create(controlPlane.config(ControlPlane.OPERATOR))) {
      try (var standby = standby(standbyClient)) {
        standby.start();
        int asked = asked();
        assertThat(standby.metrics().scrape()).contains("sei_node_outdated_pods{name=\"" + NODE);

        await()
            .during(Duration.ofSeconds(1))
            .untilAsserted(
                () -> {
                  standby.metrics().scrape();
                  assertThat(asked()).isEqualTo(asked);
                });
      }
    }
  }

  private int asked() {
    return sidecar.requests(namespace, NODE).size() + sidecar.requests(namespace, "other").size();
  }

  private SeiOperator standby(KubernetesClient standbyClient) {
    var config =
        OperatorConfig.fromEnvironment(
            Map.of(
                "SEI_WATCH_NAMESPACES",
                namespace,
                "SEI_SIDECAR_URL_TEMPLATE",
                sidecar.urlTemplate()));
    var election = new LeaderElectionConfiguration(LEASE, namespace, "standby");
    return new SeiOperator(
        config,
        standbyClient,
        new WatchMonitor(Clock.systemUTC()),
        Optional.of(election),
        "standby",
        Clock.systemUTC());
  }

  private void holdLease() {
    client
        .resource(
            yaml(
                Lease.class,
                """
                metadata: {name: %s, namespace: %s}
                spec:
                  holderIdentity: somebody
                  leaseDurationSeconds: 3600
                  renewTime: %3$s
                  acquireTime: %3$s
                """,
                LEASE,
                namespace,
                MicroTime.of(Instant.now())))
        .create();
  }

  private void createPeer(String name) {
    var node = Samples.node(namespace, name, spec(A));
    node.getMetadata().setLabels(Map.of("fleet", "x"));
    client.resource(node).create();
  }
}
