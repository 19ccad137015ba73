package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.GenesisCeremonyTest;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.CeremonyLogs;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.LocalHttps;
import io.sei.operator.testkit.OperatorJar;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Combines the inputs that once exhausted the operator's memory: a tenant's large SeiNodes and
 * ConfigMaps, a sidecar that answers with a million lists, and a genesis that inflates to lists.
 * The process has the heap of the chart's memory limit.
 */
class WorstInputsTest extends ProcessTestCase {

  /** A hundred nodes take half a minute on a machine of their own. */
  private static final Duration PATIENCE = Duration.ofMinutes(8);

  /** A look at a node of a megabyte is work for the API server too. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private static final String LISTS = "[" + "[],".repeat(2_100_000) + "[]]";

  /** 1 MiB of a free-form value. */
  private static final String LARGE = "[" + "[],".repeat((1 << 20) / 3) + "[]]";

  /** Large SeiNodes of the tenant: each keeps an API server busy for seconds. */
  private static final int LARGE_NODES = Cases.count(1, 5);

  private static final int LARGE_CONFIG_MAPS = 74;

  private static final Path LOG = Path.of("target", "worst-inputs.log");
  private static final Path COLLECTIONS = Path.of("target", "worst-inputs-gc.log");

  /** The kind of a collection, and the used heap before and after it, in MiB. */
  private static final Pattern COLLECTION =
      Pattern.compile("Pause (Young|Full) .* (\\d+)M->(\\d+)M\\(\\d+M\\)");

  @Test
  @Tag("long")
  void anotherNamespaceGetsItsImage() throws IOException {
    attackBeside(2);
  }

  @Test
  @Tag("long")
  void aHundredNodesOfAnotherNamespaceGetTheirImage() throws IOException {
    attackBeside(100);
  }

  private void attackBeside(int nodes) throws IOException {
    String tenant = createNamespace("tenant");
    byte[] bomb = CeremonyLogs.block("[" + "[],".repeat((8 << 20) / 3) + "[]]").getBytes(UTF_8);
    try (var sidecars = new SidecarSimulator();
        var kubelet = KubeletSimulator.inNamespace(client, sidecars, namespace);
        var tenantKubelet = KubeletSimulator.inNamespace(client, sidecars, tenant);
        var logs = new LocalHttps(exchange -> answer(exchange, bomb))) {
      tenantKubelet.serveLogs(logs.port());
      sidecars.faults(tenant, "answers").answer(400, "{\"error\":\"x\",\"z\":" + LISTS + "}");
      createNode(tenant, "answers");
      client.resource(Samples.fleet(tenant, "genesis", GenesisCeremonyTest.validators(1))).create();
      // One after the other: each keeps the API server busy for seconds.
      IntStream.range(0, LARGE_NODES).forEach(i -> createLarge(tenant, "large-" + i));
      range(LARGE_CONFIG_MAPS).forEach(i -> createConfigMap(tenant, "map-" + i));
      range(nodes).forEach(i -> createNode("node-" + i));
      try (OperatorJar operator = startOperator(tenant, sidecars)) {
        awaitImage(nodes, "sei:a", operator);
        awaitAttacks(tenant, sidecars);
        range(nodes).forEach(i -> setImage("node-" + i, "sei:b"));
        awaitImage(nodes, "sei:b", operator);
        assertThat(operator.isAlive()).as("see %s", LOG).isTrue();
        System.out.printf(
            "beside %d nodes: %s, resident at most %d MiB%n",
            nodes, mostHeap(), operator.mostResidentMebibytes());
      }
    }
  }

  private static IntStream range(int count) {
    return IntStream.range(0, count).parallel();
  }

  private OperatorJar startOperator(String tenant, SidecarSimulator sidecars) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OperatorJar.jvmFlags());
    // 40 % of 256 MiB, as the flags of the image have it.
    command.addAll(List.of("-Xmx102m", "-Xlog:gc:file=" + COLLECTIONS));
    command.addAll(List.of("-jar", OperatorJar.FILE.toString()));
    return OperatorJar.start(
        command,
        controlPlane.kubeconfig(ControlPlane.OPERATOR),
        Map.of(
            "SEI_WATCH_NAMESPACES",
            namespace + "," + tenant,
            "POD_NAMESPACE",
            namespace,
            "SEI_STORAGE_SIZE_DEFAULT",
            "10Gi",
            "SEI_SIDECAR_URL_TEMPLATE",
            sidecars.urlTemplate()),
        LOG);
  }

  private static String mostHeap() throws IOException {
    Matcher collection = COLLECTION.matcher(Files.readString(COLLECTIONS));
    int before = 0;
    int after = 0;
    while (collection.find()) {
      before = Math.max(before, Integer.parseInt(collection.group(2)));
      // One of the young generation leaves what has died in the old one.
      if (collection.group(1).equals("Full")) {
        after = Math.max(after, Integer.parseInt(collection.group(3)));
      }
    }
    return "heap at most %d MiB, after a full collection %d MiB".formatted(before, after);
  }

  private void awaitImage(int nodes, String image, OperatorJar operator) {
    eventually(
        PATIENCE,
        BETWEEN_LOOKS,
        () -> {
          assertThat(operator.isAlive()).as("see %s", LOG).isTrue();
          assertThat(client.resources(SeiNode.class).inNamespace(namespace).list().getItems())
              .hasSize(nodes)
              .allMatch(node -> image.equals(node.getStatus().currentImage()));
        });
  }

  /** Waits until the operator has read each of the inputs. */
  private void awaitAttacks(String tenant, SidecarSimulator sidecars) {
    eventually(
        PATIENCE,
        BETWEEN_LOOKS,
        () -> {
          assertThat(sidecars.requests(tenant, "answers")).isNotEmpty();
          assertThat(message(client.resources(SeiNodeDeployment.class), tenant, "genesis"))
              .contains("the genesis is too large");
          for (int i = 0; i < LARGE_NODES; i++) {
            assertThat(message(client.resources(SeiNode.class), tenant, "large-" + i))
                .contains("is larger than");
          }
        });
  }

  /** All that the status of a resource says. */
  private static <T extends CustomResource<?, ?>> String message(
      MixedOperation<T, ?, ?> resources, String namespace, String name) {
    return resources.inNamespace(namespace).withName(name).get().getStatus().toString();
  }

  private void createLarge(String tenant, String name) {
    createNode(tenant, name);
    String change =
        "{\"spec\":{\"configValues\":[{\"fileName\":\"app.toml\",\"key\":\"a\",\"value\":%s}]}}"
            .formatted(LARGE);
    // A busy machine was seen to need more than the ten seconds of a request.
    eventually(PATIENCE, () -> patch(tenant, name, change));
  }

  private void createConfigMap(String tenant, String name) {
    client
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(tenant)
                .addToLabels(Labels.NODE, "large-0")
                .endMetadata()
                .addToData("a", "x".repeat((1 << 20) - 1024))
                .build())
        .create();
  }

  private void setImage(String name, String image) {
    patch(namespace, name, "{\"spec\":{\"image\":\"%s\"}}".formatted(image));
  }

  private void patch(String namespace, String name, String patch) {
    client
        .resources(SeiNode.class)
        .inNamespace(namespace)
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private static void answer(HttpExchange exchange, byte[] body) throws IOException {
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
