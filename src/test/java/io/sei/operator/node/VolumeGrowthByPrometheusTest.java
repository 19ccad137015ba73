package io.sei.operator.node;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_RESIZED;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.testkit.DebianTool;
import io.sei.operator.testkit.PrometheusServer;
import io.sei.operator.testkit.TestStorageClass;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus scrapes what kubelets say of volumes, and the operator asks it. */
@Tag("long")
class VolumeGrowthByPrometheusTest extends IdentityTestCase {

  private static final String CLAIM = "data-" + NODE;

  /** Names and labels are those of a kubelet of Kubernetes 1.37. */
  private static final String PAGE =
      """
      kubelet_volume_stats_available_bytes{namespace="%1$s",persistentvolumeclaim="%2$s"} %4$d
      kubelet_volume_stats_capacity_bytes{namespace="%1$s",persistentvolumeclaim="%2$s"} %3$d
      kubelet_volume_stats_used_bytes{namespace="%1$s",persistentvolumeclaim="%2$s"} %5$d
      """;

  /** A second machine has the claim of the same name of another cluster. */
  private static final String CONFIG =
      """
      scrape_configs:
        - job_name: kubelet
          scrape_interval: 1s
          honor_labels: true
          static_configs: [{targets: ["127.0.0.1:%1$d"]}]
        - job_name: emptier
          scrape_interval: 1s
          honor_labels: true
          metrics_path: /emptier
          static_configs: [{targets: ["127.0.0.1:%1$d"]}]
      """;

  private static final long CAPACITY = 10L * 1024 * 1024 * 1024;

  @TempDir Path directory;
  private volatile int used = 60;
  private volatile int usedElsewhere = 60;
  private HttpServer kubelet;
  private PrometheusServer prometheus;

  @Override
  protected void startOperator() throws IOException {
    kubelet = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    kubelet.createContext("/metrics", exchange -> answer(exchange, used));
    kubelet.createContext("/emptier", exchange -> answer(exchange, usedElsewhere));
    kubelet.start();
    prometheus =
        PrometheusServer.start(
            DebianTool.PROMETHEUS.find(),
            directory,
            directory.resolve("log"),
            CONFIG.formatted(kubelet.getAddress().getPort()));
    operatorAs(controlPlane.config(ControlPlane.OPERATOR))
        .with("SEI_PROMETHEUS_URL", prometheus.url())
        .with("SEI_PROMETHEUS_INTERVAL", "500ms")
        .start();
  }

  @AfterEach
  void stop() {
    prometheus.close();
    kubelet.stop(0);
  }

  @Test
  void volumeGrowsOnceEverySeriesOfItSaysSo() {
    try (var storageClass = new TestStorageClass(client, namespace, true)) {
      var rule = new Storage.AutoGrow(80, "2Gi", new Quantity("13Gi"));
      var size = new Storage.Resources(new Storage.Requests(new Quantity("10Gi")));
      var storage = new Storage(storageClass.name(), null, size, rule);
      create(spec(A).withDataVolume(new DataVolume(null, null, storage, null, null)));
      awaitUpToDate(A);
      String pod = podUid();
      awaitUsed("0\\.(6|59)");

      used = 90;
      usedElsewhere = 70;
      awaitUsed("0\\.(7|69)");
      // The jump of use is also a pace, at which the volume is full soon.
      assertThat(condition(DATA_VOLUME_RESIZED).message()).startsWith("claim data-node has 10Gi");
      usedElsewhere = 85;

      eventually(
          () ->
              assertThat(condition(DATA_VOLUME_RESIZED).message())
                  .startsWith("claim data-node has 12Gi"));
      assertNeverRestarted(pod);
    }
  }

  private void awaitUsed(String ratio) {
    eventuallySeldom(
        () ->
            assertThat(operator.scrape())
                .containsPattern("sei_node_volume_used_ratio\\{[^}]*\\} (" + ratio + ")"));
  }

  private void answer(HttpExchange exchange, int percent) throws IOException {
    long taken = CAPACITY / 100 * percent;
    byte[] body =
        PAGE.formatted(namespace, CLAIM, CAPACITY, CAPACITY - taken, taken).getBytes(UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
