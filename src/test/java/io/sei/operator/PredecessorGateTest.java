package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.testkit.MicroTime;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The process while another operator holds its Lease, in a namespace of its own. */
@ExclusiveControlPlane
class PredecessorGateTest {

  private static final String LEASE = "bc1f5b0a.sei.io";
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
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(theirs)
                .withName(LEASE)
                .endMetadata()
                .build())
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

  private static void eventually(ThrowingRunnable assertion) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(assertion);
  }
}
