package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What keeps the process from starting is said in one line, and it ends with 1. */
class StartFailureTest extends ProcessTestCase {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SEI_WATCH_NAMESPACES | a,B | namespaces separated by commas, or empty for all",
        "SEI_RECONCILE_THREADS | 0 | a whole number from 1 to 256",
        "SEI_PROGRESS_DEADLINE | soon | a time from 1s to 168h, such as 500ms, 2s, 1m or 1h",
        "SEI_METRICS_PORT | 65536 | a port from 0 to 65535, 0 taking any free one",
        "SEI_LOG_LEVEL | loud | one of error, warn, info, debug, trace",
        "SEI_LEADER_ELECTION | yes | true or false",
        "SEI_LEADER_ELECTION_NAME | A_B | a lower-case DNS name such as my-name or my.name",
        "SEI_SIDECAR_IMAGE | a b | an image such as registry.example/name:tag",
        "SEI_SIDECAR_URL_TEMPLATE | http://x | an http:// or https:// URL that contains {name} and"
            + " no placeholder but {namespace}",
        "SEI_SIDECAR_TOKEN_FILE | token | an absolute path",
        "SEI_TOLERATION_KEY | a/b/c | a key such as workload or sei.io/workload, or empty",
        "SEI_NODEPOOL_NAME | -a | a label value: at most 63 letters, digits, '-', '_' and '.', or"
            + " empty",
        "SEI_RESOURCE_CPU_DEFAULT | 0 | a CPU quantity such as 4 or 500m",
        "SEI_RESOURCE_MEM_DEFAULT | 16GB | a quantity of bytes such as 16Gi or 2Ti",
        "SEI_SNAPSHOT_BUCKET | a b | printable ASCII without spaces, or empty",
      })
  void aSettingThatIsNotAllowed(String name, String value, String allowed) {
    // No API server is needed to find out.
    OperatorProcess operator = start("", Map.of(name, value));

    assertThat(operator.awaitExit()).isEqualTo(1);
    assertThat(operator.stderr())
        .containsExactly("%s=\"%s\": must be %s".formatted(name, value, allowed));
    assertThat(operator.log()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"KUBERNETES_TRUST_CERTIFICATES", "KUBERNETES_DISABLE_HOSTNAME_VERIFICATION"})
  void anEnvironmentThatWouldTrustAnybody(String name) {
    OperatorProcess operator = start(kubeconfig(), Map.of(name, "true"));

    assertThat(operator.awaitExit()).isEqualTo(1);
    assertThat(operator.stderr())
        .singleElement()
        .asString()
        .startsWith("Cannot start: " + name + " is set, and the API server's certificate");
  }

  @Test
  void portsThatAreTheSame() {
    OperatorProcess operator =
        start("", Map.of("SEI_METRICS_PORT", "9000", "SEI_HEALTH_PORT", "9000"));

    assertThat(operator.awaitExit()).isEqualTo(1);
    assertThat(operator.stderr())
        .containsExactly("SEI_HEALTH_PORT=\"9000\": must be another port than SEI_METRICS_PORT");
  }

  @Test
  void aPortThatIsTaken() throws IOException {
    try (var taken = new ServerSocket(0)) {
      OperatorProcess operator =
          start(
              kubeconfig(),
              Map.of(
                  "SEI_METRICS_PORT",
                  String.valueOf(taken.getLocalPort()),
                  "SEI_WATCH_NAMESPACES",
                  namespace));

      assertThat(operator.awaitExit()).isEqualTo(1);
      assertThat(operator.stderr())
          .singleElement()
          .asString()
          .contains("metrics port " + taken.getLocalPort());
    }
  }

  @Test
  void anApiServerThatCannotBeReached() throws IOException {
    String url = "http://127.0.0.1:" + unusedPort();

    OperatorProcess operator =
        start(kubeconfig().replace(controlPlane.url(), url), Map.of("SEI_LOG_LEVEL", "error"));

    assertThat(operator.awaitExit()).isEqualTo(1);
    assertThat(operator.stderr())
        .singleElement()
        .asString()
        .contains("Cannot use the API server at " + url, "KUBECONFIG", "ConnectException");
    assertThat(operator.log()).isEmpty();
  }

  @Test
  void anApiServerThatDoesNotKnowTheUser() {
    FaultyApiServer door = door();
    String stranger =
        OperatorProcess.kubeconfig(door.config())
            .replace(door.config().getOauthToken(), "nobodys-token");

    OperatorProcess operator = start(stranger, Map.of());

    assertThat(operator.awaitExit()).isEqualTo(1);
    assertThat(operator.stderr()).singleElement().asString().contains(door.url(), "Unauthorized");
    assertThat(String.join("", operator.stderr())).doesNotContain("nobodys-token");
  }

  @Test
  void aWatchThatIsForbidden() {
    FaultyApiServer door = door();
    door.inject(request -> request.path().endsWith("/seinodes"), ApiFault.error(403, "Forbidden"));

    OperatorProcess operator = startInNamespace(OperatorProcess.kubeconfig(door.config()));

    assertThat(operator.awaitExit()).isEqualTo(1);
    assertThat(operator.stderr()).singleElement().asString().contains("seinodes", "403");
  }

  @Test
  void aMissingCrd() {
    try (ControlPlane empty = ControlPlane.start();
        OperatorProcess operator =
            OperatorProcess.start(empty.kubeconfigYaml(ControlPlane.OPERATOR), Map.of())) {
      assertThat(operator.awaitExit()).isEqualTo(1);
      assertThat(operator.stderr())
          .singleElement()
          .asString()
          .contains("seinodes.sei.io is not installed", "kubectl apply -f crds/");
    }
  }

  private static int unusedPort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
