package io.sei.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.config.UrlTemplate;
import io.sei.operator.kube.KubernetesClients;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One server is the API server and the operator's pod. */
class InstallationCheckTest {

  private static final String KINDS =
      """
      {"kind":"APIResourceList","groupVersion":"sei.io/v1alpha1","resources":[
      {"kind":"SeiNode"},{"kind":"SeiNodeDeployment"},{"kind":"SeiNodeTask"},{"kind":"SeiSigningKey"}]}
      """;

  private HttpServer server;
  private KubernetesClient client;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
    client =
        KubernetesClients.create(
            new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .build());
    answer("/version", 200, "{\"gitVersion\":\"v1.37.2\"}");
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  @Test
  void readyOperatorIsQuoted() {
    answer("/apis/sei.io/v1alpha1", 200, KINDS);
    answer("/readyz", 200, "ok\n2 nodes\n");

    assertThat(check("127.0.0.1"))
        .endsWith("/readyz: ok\n2 nodes\n")
        .startsWith("http://127.0.0.1");
  }

  @Test
  void problemsOfAnOperatorThatIsNotReadyAreQuoted() {
    answer("/apis/sei.io/v1alpha1", 200, KINDS);
    answer("/readyz", 503, "not ok\n- the installed CRD lacks spec.a\n");

    assertThatThrownBy(() -> check("127.0.0.1"))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("is not ready: not ok - the installed CRD lacks spec.a");
  }

  @Test
  void operatorThatDoesNotAnswerIsNamed() {
    answer("/apis/sei.io/v1alpha1", 200, KINDS);

    assertThatThrownBy(
            () ->
                InstallationCheck.run(
                    client, "127.0.0.1", new UrlTemplate("http://{podIP}:1/readyz")))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("does not answer at http://127.0.0.1:1/readyz")
        .hasMessageContaining("network policies");
  }

  @Test
  void serviceWithoutReadyPodIsNamed() {
    answer("/apis/sei.io/v1alpha1", 200, KINDS);

    assertThatThrownBy(() -> check("operator.invalid"))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("operator.invalid has no address");
  }

  @Test
  void kindThatIsNotServedIsNamed() {
    answer("/apis/sei.io/v1alpha1", 200, KINDS.replace("SeiNodeTask", "Other"));

    assertThatThrownBy(() -> check("127.0.0.1"))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("seinodetasks.sei.io is not installed");
  }

  private String check(String service) {
    return InstallationCheck.run(
        client,
        service,
        new UrlTemplate("http://{podIP}:" + server.getAddress().getPort() + "/readyz"));
  }

  private void answer(String path, int status, String text) {
    server.createContext(
        path,
        exchange -> {
          byte[] body = text.getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }
}
