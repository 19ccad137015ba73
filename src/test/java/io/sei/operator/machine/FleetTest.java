package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A fleet of three whose nodes need a while to become Ready. */
class FleetTest extends MachineTestCase {

  private static final String FLEET = "fleet";

  /** The default one cannot restart seid. */
  private static final String NEWER_SIDECAR = "ghcr.io/sei-protocol/seictl:v0.0.70";

  private static final int REPLICAS = 3;

  /** A transaction that is never included. CometBFT checks first whether there is room for it. */
  private static final String TRANSACTION =
      """
      {"jsonrpc":"2.0","id":1,"method":"broadcast_tx_sync","params":{"tx":"qg=="}}\
      """;

  private static final String SEID = "status.containerStatuses[?(@.name=='seid')].%s";

  @Test
  void rollsAndConfiguresOneNodeAfterTheOther() {
    String manifest = Manifests.fleet(FLEET, Chain.V1.image());
    apply(manifest.replace("replicas: 2", "replicas: " + REPLICAS));
    awaitFleet(Chain.V1);
    assertThat(spread())
        .as("on one Kubernetes node, which does not keep a second pod away")
        .isEqualTo("ScheduleAnyway ScheduleAnyway ScheduleAnyway");

    edit("{'image':'%s','sidecar':{'image':'%s'}}".formatted(Chain.V2.image(), NEWER_SIDECAR));
    awaitFleet(Chain.V2);

    assertOneAfterTheOther(this::created);
    assertThat(offered(0)).doesNotContain("mempool is full");

    edit("{'overrides':{'mempool.size':'0'}}");

    for (int ordinal = 0; ordinal < REPLICAS; ordinal++) {
      String pod = pod(ordinal);
      eventually(
          () ->
              assertThat(field("pods", pod, SEID.formatted("restartCount")))
                  .as("restarts of seid in %s", pod)
                  .isEqualTo("1"));
    }
    awaitFleet(Chain.V2);
    assertOneAfterTheOther(this::started);
    for (int ordinal = 0; ordinal < REPLICAS; ordinal++) {
      assertThat(offered(ordinal))
          .as("the RPC of %s", pod(ordinal))
          .contains("mempool is full: number of txs 0 (max: 0)");
    }
  }

  private void assertOneAfterTheOther(IntFunction<Instant> began) {
    List<Integer> order =
        IntStream.range(0, REPLICAS).boxed().sorted(Comparator.comparing(began::apply)).toList();
    for (int i = 1; i < REPLICAS; i++) {
      assertThat(began.apply(order.get(i))).isAfterOrEqualTo(ready(order.get(i - 1)));
    }
  }

  /** Returns the answer of seid's RPC to a transaction. */
  private String offered(int ordinal) {
    return kubectl(
        "exec",
        pod(ordinal),
        "-c",
        "seid",
        "--",
        "busybox",
        "wget",
        "-qO-",
        "--post-data=" + TRANSACTION,
        "http://127.0.0.1:26657");
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
          assertThat(fleet("status.readyReplicas")).isEqualTo(String.valueOf(REPLICAS));
          assertThat(fleet("status.conditions[?(@.type=='UpToDate')].status")).isEqualTo("True");
          for (int ordinal = 0; ordinal < REPLICAS; ordinal++) {
            assertThat(field("seinodes", FLEET + "-" + ordinal, "status.currentImage"))
                .isEqualTo(chain.image());
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
