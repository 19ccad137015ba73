package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.kube.KubernetesClients;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrerequisitesTest {

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
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1.30.0", "v1.37.2+k3s1"})
  void aSupportedServerWithTheCrdsIsFine(String version) {
    serveVersion(version);
    serveKinds(
        "{'kind':'SeiNode'},{'kind':'SeiNodeDeployment'},{'kind':'SeiNodeTask'},{'kind':'SeiSigningKey'}");

    assertThatCode(() -> Prerequisites.check(client)).doesNotThrowAnyException();
  }

  @Test
  void anOlderServerIsNamedWithTheOldestThatWillDo() {
    serveVersion("v1.29.14");
    serveKinds(
        "{'kind':'SeiNode'},{'kind':'SeiNodeDeployment'},{'kind':'SeiNodeTask'},{'kind':'SeiSigningKey'}");

    assertThatThrownBy(() -> Prerequisites.check(client))
        .isInstanceOf(StartFailure.class)
        .hasMessageStartingWith("Kubernetes v1.29.14 at http")
        .hasMessageEndingWith(" is too old; the operator needs 1.30 or newer");
  }

  @Test
  void aMissingCrdIsNamedWithWhatInstallsIt() {
    serveVersion("v1.37.2");
    serveKinds("{'kind':'SeiNode'}");

    assertThatThrownBy(() -> Prerequisites.check(client))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("seinodedeployments.sei.io is not installed")
        .hasMessageEndingWith("kubectl apply -f crds/");
  }

  @ParameterizedTest
  @CsvSource({
    "v1.20.2, false",
    "v1.29.9-gke.1000, false",
    "1, false",
    "v1.30.0, true",
    "v1.30.0-rc.1, true",
    "v1.30.4-eks-036c24b, true",
    "v1.36.2+k3s1, true",
    "v2.0.0, true"
  })
  void everythingFrom130OnIsSupported(String gitVersion, boolean supported) {
    assertThat(Prerequisites.isSupported(gitVersion)).isEqualTo(supported);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "+", "v1", "latest", "v-1.30"})
  void whatIsNoVersionIsRefused(String gitVersion) {
    assertThatIllegalArgumentException().isThrownBy(() -> Prerequisites.isSupported(gitVersion));
  }

  private void serveVersion(String version) {
    serve("/version", "{'gitVersion':'%s'}".formatted(version));
  }

  private void serveKinds(String resources) {
    serve(
        "/apis/sei.io/v1alpha1",
        "{'kind':'APIResourceList','apiVersion':'v1','groupVersion':'sei.io/v1alpha1','resources':[%s]}"
            .formatted(resources));
  }

  /** Answers with this JSON; ' stands for ". */
  private void serve(String path, String json) {
    byte[] body = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
          }
        });
  }
}
