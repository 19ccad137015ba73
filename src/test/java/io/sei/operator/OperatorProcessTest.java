package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process while it runs: probes, metrics, what it watches, what it logs, how it ends. */
class OperatorProcessTest extends ProcessTestCase {

  private static final String LOG_LINE =
      "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z (INFO |WARN |ERROR|DEBUG) \\[[^ ]*/[^"
          + " ]*\\] .*";

  @Test
  @Tag("long")
  void aFrozenProcessCannotBeScrapedUntilItGoesOn() {
    OperatorProcess operator = startInNamespace(kubeconfig()).awaitReady();
    // The first scrape of a process that has just started may take longer than one is given.
    eventually(() -> assertThat(operator.isScrapeable()).isTrue());

    operator.freeze();
    assertThat(operator.isScrapeable()).isFalse();

    operator.thaw();
    eventually(() -> assertThat(operator.isScrapeable()).isTrue());
  }

  @Test
  void managesTheNamespacesItIsToldAsksForNoOtherAndServesProbesAndMetrics() {
    FaultyApiServer door = door();
    String other = createNamespace("other");
    String ignored = createNamespace("ignored");
    OperatorProcess operator =
        start(
                OperatorProcess.kubeconfig(door.config()),
                Map.of(
                    "SEI_WATCH_NAMESPACES",
                    namespace + "," + other,
                    "SEI_LEADER_ELECTION",
                    "false"))
            .awaitReady();
    createNode(ignored, "ignored");
    createNode("first");
    createNode(other, "second");

    eventually(
        () -> {
          assertThat(hasStatefulSet("first")).isTrue();
          assertThat(client.apps().statefulSets().inNamespace(other).withName("second").get())
              .isNotNull();
        });
    assertThat(door.received())
        .filteredOn(request -> !request.path().equals("/version"))
        .filteredOn(request -> !request.path().matches("/apis/[^/]+/[^/]+"))
        .filteredOn(request -> !request.path().contains("/customresourcedefinitions/"))
        .allSatisfy(
            request ->
                assertThat(request.path())
                    .containsAnyOf("/namespaces/" + namespace + "/", "/namespaces/" + other + "/"));
    assertThat(client.apps().statefulSets().inNamespace(ignored).list().getItems()).isEmpty();
    assertServesProbesAndMetrics(operator);
  }

  private void assertServesProbesAndMetrics(OperatorProcess operator) {
    assertThat(operator.health("/healthz").statusCode()).isEqualTo(200);
    eventually(
        () ->
            assertThat(operator.metrics("/metrics").body().lines())
                .contains(
                    "sei_node_phase{name=\"first\",namespace=\"%s\",phase=\"Initializing\"} 1.0"
                        .formatted(namespace),
                    "sei_node_phase{name=\"first\",namespace=\"%s\",phase=\"Running\"} 0.0"
                        .formatted(namespace),
                    "sei_applies_total{kind=\"StatefulSet\",result=\"created\"} 2.0")
                .anyMatch(
                    line -> line.matches("sei_build_info\\{java=\"\\d.*\",version=\"\\d.*\"} 1")));
    var metrics = operator.metrics("/metrics");
    assertThat(metrics.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(metrics.body())
        .contains("# TYPE sei_node_phase gauge")
        .contains("jvm_memory_used_bytes");
    client.resources(SeiNode.class).inNamespace(namespace).delete();
    eventually(
        () -> assertThat(operator.metrics("/metrics").body()).doesNotContain("name=\"first\""));
  }

  @Test
  void saysWhatItWaitsForWhatIsSetInVainAndThatItMayNotReadTheCrds(@TempDir Path directory)
      throws IOException {
    Path file = Files.writeString(directory.resolve("config.yaml"), "storage: {sizeSeed: 20Gi}");
    FaultyApiServer door = door();
    var answering = new CountDownLatch(1);
    door.inject(request -> request.path().endsWith("/statefulsets"), ApiFault.hangUntil(answering));
    door.inject(
        request -> request.path().contains("/customresourcedefinitions/"),
        ApiFault.error(403, "Forbidden"));
    OperatorProcess operator =
        start(
            OperatorProcess.kubeconfig(door.config()),
            Map.of(
                "SEI_WATCH_NAMESPACES",
                namespace,
                "POD_NAMESPACE",
                namespace,
                "SEI_CONTROLLER_CONFIG",
                file.toString()));

    eventually(
        () -> {
          var ready = operator.health("/readyz");
          assertThat(ready.statusCode()).isEqualTo(503);
          assertThat(ready.body().lines())
              .containsExactly(
                  "not ok",
                  "- the operator has not started",
                  "- informer seinode-controller/statefulset has not listed yet",
                  "leader: false");
        });
    assertThat(operator.health("/healthz").statusCode()).isEqualTo(200);
    answering.countDown();

    operator.awaitReady();
    operator.awaitLeading();
    assertThat(operator.health("/readyz").body()).isEqualTo("ok\nleader: true\n");
    assertThat(operator.log())
        .filteredOn(line -> line.contains("Ignoring unknown keys in " + file + ": "))
        .singleElement(as(InstanceOfAssertFactories.STRING))
        .contains(" WARN ", ": storage.sizeSeed");
    assertThat(operator.log())
        .filteredOn(line -> line.contains("customresourcedefinitions"))
        .singleElement(as(InstanceOfAssertFactories.STRING))
        .contains("WARN", "the operator has no right to get customresourcedefinitions");
  }

  @Test
  @Tag("long")
  void logsOneLinePerEvent() {
    FaultyApiServer door = door();
    door.inject(
        3,
        request -> request.method().equals("PATCH") && request.path().endsWith("/services/first"),
        ApiFault.error(405, "MethodNotAllowed"));
    OperatorProcess operator = startInNamespace(OperatorProcess.kubeconfig(door.config()));
    createNode("first");
    eventually(
        () ->
            assertThat(client.services().inNamespace(namespace).withName("first").get())
                .isNotNull());
    operator.terminate();

    assertThat(operator.awaitExit()).isZero();
    assertThat(operator.log())
        .allSatisfy(line -> assertThat(line).matches(LOG_LINE))
        .anySatisfy(
            line -> assertThat(line).contains("[" + namespace + "/first]").contains("injected"));
    assertThat(operator.stderr()).isEmpty();
  }

  @Test
  @Tag("long")
  void endsAtOnceWhenToldToDuringAStartThatWaits() {
    FaultyApiServer door = door();
    door.inject(
        request -> request.path().endsWith("/statefulsets"),
        ApiFault.hangUntil(new CountDownLatch(1)));
    OperatorProcess operator = startInNamespace(OperatorProcess.kubeconfig(door.config()));
    eventually(() -> assertThat(paths(door)).anyMatch(path -> path.endsWith("/statefulsets")));

    operator.terminate();

    assertThat(operator.awaitExit()).isZero();
    assertThat(operator.log()).anySatisfy(line -> assertThat(line).contains("Stopped"));
  }

  private static List<String> paths(FaultyApiServer door) {
    return door.received().stream().map(request -> request.path()).toList();
  }
}
