package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A fleet whose nodes need a while to become Ready. */
class FleetTest extends MachineTestCase {

  private static final String FLEET = "fleet";

  @Test
  void rollsOneNodeAfterTheOther() {
    apply(Manifests.fleet(FLEET, Chain.V1.image()));
    awaitFleet(Chain.V1);
    assertThat(spread())
        .as("on one Kubernetes node, which does not keep a second pod away")
        .isEqualTo("ScheduleAnyway ScheduleAnyway");

    kubectl(
        "patch",
        "snd",
        FLEET,
        "--type=merge",
        "-p",
        "{\"spec\":{\"template\":{\"spec\":{\"image\":\"%s\"}}}}".formatted(Chain.V2.image()));
    awaitFleet(Chain.V2);

    boolean upwards = created(0).isBefore(created(1));
    assertThat(created(upwards ? 1 : 0)).isAfterOrEqualTo(ready(upwards ? 0 : 1));
  }

  private void awaitFleet(Chain chain) {
    eventually(
        () -> {
          assertThat(fleet("status.readyReplicas")).isEqualTo("2");
          assertThat(fleet("status.conditions[?(@.type=='UpToDate')].status")).isEqualTo("True");
          for (String node : List.of(FLEET + "-0", FLEET + "-1")) {
            assertThat(field("seinodes", node, "status.currentImage")).isEqualTo(chain.image());
          }
        });
  }

  private String spread() {
    return kubectl(
        "get",
        "pods",
        "-l",
        "sei.io/node",
        "-o",
        "jsonpath={.items[*].spec.topologySpreadConstraints[*].whenUnsatisfiable}");
  }

  private String fleet(String field) {
    return field("seinodedeployments", FLEET, field);
  }

  private Instant created(int ordinal) {
    return time(ordinal, "metadata.creationTimestamp");
  }

  private Instant ready(int ordinal) {
    return time(ordinal, "status.conditions[?(@.type=='Ready')].lastTransitionTime");
  }

  private Instant time(int ordinal, String field) {
    String pod = "%s-%d-0".formatted(FLEET, ordinal);
    return Instant.parse(field("pods", pod, field));
  }
}
