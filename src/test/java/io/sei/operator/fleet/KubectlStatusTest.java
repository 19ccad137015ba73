package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Prints heights, which the operator's metrics have, and orphans by {@code kubectl sei}. */
class KubectlStatusTest extends FleetTestCase {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private static final String ACCOUNT =
      "{'kind':'ServiceAccount','namespace':'sei-operator','name':'sei-operator'}";

  private FaultyApiServer server;
  private KubectlSei plugin;

  @BeforeEach
  void prepare() {
    server = new FaultyApiServer(controlPlane.config(ControlPlane.ADMIN));
    plugin = new KubectlSei(controlPlane, namespace).through(server);
  }

  @AfterEach
  void closeServer() {
    server.close();
  }

  @Tag("long")
  @Test
  void heightsComeFromTheReplicaThatLeads() throws IOException {
    for (String node : List.of("rpc-0", "rpc-1", "rpc-west-0")) {
      client.resource(Samples.node(namespace, node, spec(A))).create();
    }
    answerForTheOperator(
        """
        sei_node_height{name="rpc-0",namespace="%1$s"} 1.87500012E8
        sei_node_height{name="rpc-west-0",namespace="%1$s"} 9.0
        sei_node_height{name="rpc-1",namespace="elsewhere"} 7.0
        sei_node_lag_blocks{name="rpc-0",namespace="%1$s"} 3.0
        sei_node_peers{name="rpc-0",namespace="%1$s"} 8.0
        """
            .formatted(namespace));

    assertThat(sei("status"))
        .containsSubsequence(
            "NODE                                   HEIGHT      LAG  PEERS",
            "rpc-0                               187500012        3      8",
            "rpc-west-0                                  9        -      -")
        .noneMatch(line -> line.startsWith("rpc-1  ") && line.endsWith("-"));
    assertThat(sei("status", "snode/rpc-0"))
        .endsWith("rpc-0                               187500012        3      8");

    assertPrintsJson();

    answerForTheOperator("");
    assertThat(sei("status")).noneMatch(line -> line.startsWith("NODE"));
  }

  /** Whatever a message has in it: those of webhooks and of container runtimes are not ours. */
  private void assertPrintsJson() throws IOException {
    String hostile = "it's \"<b>\" \\' & a=\\n\n\tnew \u0007 line, höhe \u2028 \uD83D\uDE80";
    operator.stop();
    Map<String, ?> stalled = condition("Stalled", "ImagePull", hostile);
    Map<String, ?> filling = condition("DataVolumeResized", "Filling", "it is full within a day");
    Map<String, ?> upgrade =
        Map.of("name", "v9", "height", 174000000, "image", A, "state", "Ready");
    client
        .resource(Samples.node(namespace, "rpc-0", spec(A)))
        .subresource("status")
        .patch(
            MERGE,
            JSON.writeValueAsString(
                Map.of(
                    "status",
                    Map.of(
                        "conditions", List.of(stalled, filling), "upgrades", List.of(upgrade)))));

    JsonNode all = json(0, "status");
    assertThat(all).extracting(json -> json.path("name").asText()).contains("rpc-1", "rpc-west-0");
    JsonNode node = only(json(0, "status", "rpc-0"));
    assertThat(node.at("/height").asLong()).isEqualTo(187500012);
    assertThat(node.at("/lag").asLong()).isEqualTo(3);
    assertThat(node.at("/conditions/0/message").asText()).isEqualTo(hostile);
    JsonNode problem = only(json(1, "why", "snode/rpc-0"));
    assertThat(problem.at("/message").asText()).isEqualTo(hostile);
    assertThat(problem.at("/runbook").asText()).isEqualTo("docs/runbooks/ImagePull.md");
    assertThat(json(0, "why", "rpc-west-0")).isEmpty();
    assertThat(printed(1, "why", "snode/rpc-0")).contains("full within a day");
    assertThat(only(json(0, "upgrades", "rpc-0")).at("/upgrades/0/height").asLong())
        .isEqualTo(174000000);
    assertThat(printed(0, "upgrades", "rpc-0"))
        .contains("not pulled yet; not inspected yet; files: nothing to compare");
  }

  private static Map<String, ?> condition(String type, String reason, String message) {
    return Map.of(
        "type",
        type,
        "status",
        "True",
        "reason",
        reason,
        "message",
        message,
        "lastTransitionTime",
        "2026-11-27T00:00:00Z");
  }

  private static JsonNode only(JsonNode items) {
    assertThat(items).hasSize(1);
    return items.get(0);
  }

  private JsonNode json(int exitCode, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(arguments));
    command.add("-ojson");
    return JSON.readTree(printed(exitCode, command.toArray(String[]::new))).path("items");
  }

  @Test
  void upgradesCountsDown() throws IOException {
    client.resource(Samples.node(namespace, "rpc-0", spec(A))).create();
    long soon =
        Instant.now().plus(Duration.ofHours(51).plusMinutes(7).plusSeconds(30)).getEpochSecond();
    answerForTheOperator(
        """
        sei_chain_upgrade_time_seconds{chain="%1$s",namespace="%3$s",upgrade="v9"} %2$s
        sei_chain_upgrade_time_seconds{chain="%1$s",namespace="of-a-liar",upgrade="v9"} 1
        sei_chain_upgrade_time_seconds{chain="%1$s",namespace="of-a-liar",upgrade="v10"} 1
        sei_chain_upgrade_time_seconds{chain="another",namespace="%3$s",upgrade="v9"} %2$s
        """
            .formatted(spec(A).chainId(), (double) soon, namespace));

    assertThat(sei("upgrades"))
        .containsExactly(spec(A).chainId() + " is to reach v9 in 2 d 3 h 7 min");
    JsonNode left = JSON.readTree(String.join("", sei("upgrades", "-o", "json")));
    assertThat(only(left.path("countdown")).at("/secondsLeft").asLong())
        .isBetween(183_000L, 184_051L);
  }

  /** The RPC of any node of the namespace chooses the name. */
  @Test
  void nameOfAnUpgradeIsWrittenInJsonAsItIs() throws IOException {
    client.resource(Samples.node(namespace, "rpc-0", spec(A))).create();
    answerForTheOperator(
        """
        sei_chain_upgrade_time_seconds{chain="%s",namespace="%s",upgrade="v\\"9 \\\\ 4"} 1.0
        """
            .formatted(spec(A).chainId(), namespace));

    JsonNode left = JSON.readTree(String.join("", sei("upgrades", "-o", "json")));

    assertThat(only(left.path("countdown")).path("upgrade").asText()).isEqualTo("v\"9 \\ 4");
    assertThat(only(left.path("countdown")).path("secondsLeft").asLong()).isZero();
  }

  @Tag("long")
  @Test
  void orphansAreClaimsAndVolumesWithoutTheirNode() {
    client.resource(Samples.node(namespace, "here", spec(A))).create();
    eventually(
        () ->
            assertThat(
                    client
                        .persistentVolumeClaims()
                        .inNamespace(namespace)
                        .withName("data-here")
                        .get())
                .isNotNull());
    claimOf("gone");
    volumeReleasedBy("data-lost");

    eventuallySeldom(
        () ->
            assertThat(sei("orphans"))
                .hasSize(3)
                .anyMatch(line -> line.matches(namespace + " +data-gone .*"))
                .anyMatch(
                    line ->
                        line.matches(
                            namespace
                                + " +data-lost +2Ti .*"
                                + namespace
                                + " \\(the claim is gone; a guess by its name\\)")));
    assertThat(sei("status", "--orphans")).isEqualTo(sei("orphans"));
  }

  @Test
  void snapshotsSaysWhatAClusterWithoutTheirKindLacks() {
    server.inject(
        request -> request.path().contains("/volumesnapshots"), ApiFault.error(404, "NotFound"));

    KubectlResult result = plugin.run("snapshots");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.stderr().lines())
        .singleElement()
        .asString()
        .contains("this cluster has no VolumeSnapshots: install the CRDs of");
  }

  private void claimOf(String node) {
    client
        .resource(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("data-" + node)
                .addToLabels(Labels.NODE, node)
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withNewResources()
                .addToRequests("storage", new Quantity("2Ti"))
                .endResources()
                .endSpec()
                .build())
        .create();
  }

  /** Named as the namespace, since volumes have none. */
  private void volumeReleasedBy(String claim) {
    client
        .resource(
            new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName(namespace)
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .addToCapacity("storage", new Quantity("2Ti"))
                .withPersistentVolumeReclaimPolicy("Retain")
                .withNewHostPath()
                .withPath("/nowhere")
                .endHostPath()
                .withNewClaimRef()
                .withNamespace(namespace)
                .withName(claim)
                .withUid("gone")
                .endClaimRef()
                .endSpec()
                .build())
        .create();
    client
        .persistentVolumes()
        .withName(namespace)
        .editStatus(
            volume ->
                new PersistentVolumeBuilder(volume)
                    .editOrNewStatus()
                    .withPhase("Released")
                    .endStatus()
                    .build());
  }

  /** Has the cluster show one pod of an operator, with these metrics. */
  private void answerForTheOperator(String metrics) {
    server.heal();
    answer("/clusterrolebindings", list("{'subjects':[%s]}".formatted(ACCOUNT)));
    answer("/namespaces/sei-operator/pods", list("{'metadata':{'name':'sei-operator-0'}}"));
    answer("/pods/sei-operator-0:8080/proxy/metrics", metrics);
  }

  private void answer(String path, String body) {
    server.inject(
        request -> request.path().endsWith(path),
        request -> Optional.of(new ApiFault.Answer(200, Map.of(), body)));
  }

  private static String list(String item) {
    return "{'items':[%s]}".formatted(item).replace('\'', '"');
  }

  private List<String> sei(String... arguments) {
    return printed(0, arguments).lines().toList();
  }

  private String printed(int exitCode, String... arguments) {
    KubectlResult result = plugin.run(arguments);
    assertThat(result.exitCode()).as("%s", result).isEqualTo(exitCode);
    return result.stdout();
  }
}
