package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.MicroTime;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A Go operator renews its Lease in a namespace of its own. */
class GoOperatorRunsTest extends FleetTestCase {

  private static final String NODE = "node";

  @Test
  void theNamespacesOfTheTakeoverAreLeftAloneUntilItStopsAndOthersAreManaged() {
    String theirs = createNamespace("theirs");
    String other = createNamespace("other");
    Lease lease = yaml(Lease.class, "metadata: {name: bc1f5b0a.sei.io, namespace: %s}", theirs);
    client.resource(lease).create();
    try (var renewals = Executors.newSingleThreadScheduledExecutor()) {
      renewals.scheduleWithFixedDelay(() -> renew(lease, "x_y"), 0, 1, TimeUnit.SECONDS);
      operator.stop();
      client.resource(Samples.node(namespace, NODE, spec(A))).create();
      client.resource(Samples.node(other, NODE, spec(A))).create();
      create(fleetSpec(1, A));

      operator
          .with("SEI_WATCH_NAMESPACES", namespace + "," + other)
          .with("SEI_TAKEOVER_NAMESPACES", namespace + "," + theirs)
          .start();

      eventually(() -> assertThat(readIn(other, StatefulSet.class, NODE)).isNotNull());
      eventually(
          () -> {
            assertStalled(read(SeiNode.class, NODE).getStatus().conditions(), theirs);
            assertStalled(status().conditions(), theirs);
          });
      assertThat(readAll(StatefulSet.class)).isEmpty();
      assertThat(nodes()).hasSize(1);
      assertThat(operator.scrape())
          .contains("sei_operator_hands_off{namespace=\"" + theirs + "\"} 1.0");
    }
    renew(lease, "");

    eventually(() -> assertThat(readAll(StatefulSet.class)).hasSize(2));
    assertThat(operator.scrape()).doesNotContain("sei_operator_hands_off{");
  }

  private static void assertStalled(List<Condition> conditions, String theirs) {
    assertThat(conditions)
        .anySatisfy(
            condition -> {
              assertThat(condition.reason())
                  .isEqualTo(StallReason.STATEFUL_SET_CONFLICT.toString());
              assertThat(condition.message())
                  .contains("pod x renews the Lease " + theirs, "--replicas=0");
            });
  }

  private String createNamespace(String suffix) {
    String name = namespace + "-" + suffix;
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    return name;
  }

  private void renew(Lease lease, String identity) {
    patch(
        lease,
        "{'spec':{'holderIdentity':'%s','leaseDurationSeconds':15,'renewTime':'%s'}}"
            .formatted(identity, MicroTime.of(Instant.now())));
  }
}
