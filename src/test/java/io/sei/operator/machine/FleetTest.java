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

  /** The default one cannot restart seid. */
  private static final String NEWER_SIDECAR = "ghcr.io/sei-protocol/seictl:v0.0.70";

  private static final String SEID = "status.containerStatuses[?(@.name=='seid')].%s";

  @Test
  void rollsAndConfiguresOneNodeAfterTheOther() {
    apply(Manifests.fleet(FLEET, Chain.V1.image()));
    awaitFleet(Chain.V1);
    assertThat(spread())
        .as("on one Kubernetes node, which does not keep a second pod away")
        .isEqualTo("ScheduleAnyway ScheduleAnyway");

    edit("{'image':'%s','sidecar':{'image':'%s'}}".formatted(Chain.V2.image(), NEWER_SIDECAR));
    awaitFleet(Chain.V2);

    boolean upwards = created(0).isBefore(created(1));
    assertThat(created(upwards ? 1 : 0)).isAfterOrEqualTo(ready(upwards ? 0 : 1));

    edit("{'overrides':{'mempool.size':'10'}}");

    for (int ordinal = 0; ordinal <= 1; ordinal++) {
      String pod = pod(ordinal);
      eventually(
          () ->
              assertThat(field("pods", pod, SEID.formatted("restartCount")))
                  .as("restarts of seid in %s", pod)
                  .isEqualTo("1"));
    }
    awaitFleet(Chain.V2);
    boolean first = started(0).isBefore(started(1));
    assertThat(started(first ? 1 : 0)).isAfterOrEqualTo(ready(first ? 0 : 1));
  }

  private void edit(String template) {
    kubectl(
        "patch",
        "snd",
        FLEET,
        "--type=merge",
        "-p",
        "{'spec':{'template':{'spec':%s}}}".formatted(template).replace('\'', '"'));
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

  private Instant started(int ordinal) {
    return time(ordinal, SEID.formatted("state.running.startedAt"));
  }

  private Instant time(int ordinal, String field) {
    return Instant.parse(field("pods", pod(ordinal), field));
  }

  private static String pod(int ordinal) {
    return "%s-%d-0".formatted(FLEET, ordinal);
  }
}
