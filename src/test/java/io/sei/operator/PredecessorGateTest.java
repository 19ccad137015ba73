package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.fleet.FleetTestCase;
import io.sei.operator.testkit.MicroTime;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The process while another operator holds its Lease, in a namespace of its own. */
@ExclusiveControlPlane
class PredecessorGateTest {

  private static final String LEASE = "bc1f5b0a.sei.io";
  private static final String NODE = "node";
  private static final String FLEET = "fleet";
  private static final String HELD = "controller-manager-6d5f8c-x2x7k";

  private ControlPlane controlPlane;
  private KubernetesClient client;
  private String namespace;
  private String theirs;

  @BeforeEach
  void startTheGoOperator(
      ControlPlane controlPlane, KubernetesClient client, TestNamespace namespace) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.namespace = namespace.name();
    theirs = this.namespace + "-theirs";
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(theirs).endMetadata().build())
        .create();
    client
        .resource(yaml(Lease.class, "metadata: {namespace: %s, name: %s}", theirs, LEASE))
        .create();
    renew(HELD + "_5f7c");
  }

  /** What a killed process holds would keep the next one from starting. */
  @AfterEach
  void forgetLeases() {
    for (String in : List.of(namespace, theirs)) {
      client.leases().inNamespace(in).withName(LEASE).delete();
    }
  }

  @Test
  void startsOnceTheLeaseIsReleased() {
    try (OperatorProcess operator = start(Map.of())) {
      eventually(
          () -> {
            var ready = operator.health("/readyz");
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body())
                .contains("a Go operator runs: pod " + HELD + " renews the Lease " + theirs);
            assertThat(operator.log())
                .anySatisfy(
                    line ->
                        assertThat(line)
                            .contains("WARN", "Not started: a Go operator runs", "--replicas=0"));
          });
      assertThat(operator.health("/healthz").statusCode()).isEqualTo(200);
      assertThat(client.leases().inNamespace(namespace).withName(LEASE).get()).isNull();

      renew("");

      operator.awaitLeading().awaitReady();
      assertThat(operator.health("/readyz").body()).isEqualTo("ok\nleader: true\n");
      assertThat(operator.log())
          .filteredOn(line -> line.contains("Not started"))
          .hasSizeLessThan(3);
    }
  }

  @Test
  void managesNothingWhileOneRunsThatWasStartedLater() {
    renew("");
    try (OperatorProcess operator = start(Map.of()).awaitLeading().awaitReady()) {
      renew(HELD + "_5f7c");
      eventually(
          () ->
              assertThat(operator.health("/readyz").body())
                  .contains("a Go operator runs: pod " + HELD + " renews the Lease " + theirs));
      client.resource(Samples.node(namespace, NODE, Samples.fullNode("sei:a"))).create();
      client.resource(Samples.fleet(namespace, FLEET, fleet())).create();

      eventually(
          () -> {
            assertThat(node().getStatus()).isNotNull();
            assertThat(deployment().getStatus()).isNotNull();
            assertStalled(node().getStatus().conditions());
            assertStalled(deployment().getStatus().conditions());
          });
      assertThat(node().getStatus().plan()).isNull();
      assertThat(client.resources(SeiNode.class).inNamespace(namespace).list().getItems())
          .hasSize(1);

      renew("");
      eventually(() -> assertThat(operator.health("/readyz").statusCode()).isEqualTo(200));
      edit();

      eventually(() -> assertThat(node().getStatus().plan()).isNotNull());
      assertThat(operator.log())
          .anySatisfy(line -> assertThat(line).contains("WARN", "Managing nothing", HELD))
          .anySatisfy(line -> assertThat(line).contains("Managing again"));
    }
  }

  @Test
  void startsBesideItWhereThatIsSet() {
    try (OperatorProcess operator = start(Map.of("SEI_IGNORE_GO_OPERATOR", "true"))) {
      operator.awaitLeading();
    }
  }

  @Test
  void looksInManagedNamespacesAndEndsAtOnceWhileItWaits() {
    try (OperatorProcess operator = start(Map.of("SEI_WATCH_NAMESPACES", theirs))) {
      eventually(() -> assertThat(operator.log()).anyMatch(line -> line.contains("Not started")));
      assertThat(operator.log())
          .anySatisfy(line -> assertThat(line).contains("only for a Go operator", theirs));

      operator.terminate();

      assertThat(operator.awaitExit()).isZero();
    }
  }

  @Test
  @Tag("long")
  void twoThatManageAllNamespacesDoNotActAtOnce() {
    forgetLeases();
    try (OperatorProcess first = start(Map.of("POD_NAMESPACE", theirs)).awaitLeading();
        OperatorProcess second = start(Map.of())) {
      eventually(
          () ->
              assertThat(second.health("/readyz").body())
                  .contains("another one runs", "renews the Lease " + theirs + "/" + LEASE));

      first.terminate();

      second.awaitLeading().awaitReady();
    }
  }

  private static SeiNodeDeploymentSpec fleet() {
    return FleetTestCase.fleetSpec(1, "sei:a");
  }

  private static void assertStalled(List<Condition> conditions) {
    assertThat(conditions)
        .anySatisfy(
            it -> {
              assertThat(it.reason()).isEqualTo(StallReason.STATEFUL_SET_CONFLICT.toString());
              assertThat(it.message()).contains(HELD, "--replicas=0");
            });
  }

  private SeiNode node() {
    return client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).get();
  }

  private SeiNodeDeployment deployment() {
    return client.resources(SeiNodeDeployment.class).inNamespace(namespace).withName(FLEET).get();
  }

  /** Wakes the node, which is looked at once a minute else. */
  private void edit() {
    client
        .resources(SeiNode.class)
        .inNamespace(namespace)
        .withName(NODE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"annotations\":{\"sei.io/retry\":\"1\"}}}");
  }

  private OperatorProcess start(Map<String, String> environment) {
    var variables = new HashMap<>(environment);
    variables.putIfAbsent("POD_NAMESPACE", namespace);
    return OperatorProcess.start(controlPlane.kubeconfigYaml(ControlPlane.OPERATOR), variables);
  }

  /** Holds the Lease for an hour, or releases it, under the name of the Go operator's binary. */
  private void renew(String identity) {
    client
        .leases()
        .inNamespace(theirs)
        .withName(LEASE)
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.JSON_MERGE)
                .withFieldManager("manager")
                .build(),
            """
            {"spec":{"holderIdentity":"%s","leaseDurationSeconds":3600,"renewTime":"%s"}}\
            """
                .formatted(identity, MicroTime.of(Instant.now())));
  }
}
