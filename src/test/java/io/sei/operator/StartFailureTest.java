package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Expects one line, and exit code 1, for each obstacle to a start. */
class StartFailureTest extends ProcessTestCase {

  /** Other refusals and their messages are tested without a process. */
  @Test
  void aSettingThatIsNotAllowed() {
    // No API server is needed to find out.
    OperatorProcess operator = start("", Map.of("SEI_RECONCILE_THREADS", "0"));

    assertThat(operator.awaitExit()).isEqualTo(1);
    assertThat(operator.stderr())
        .containsExactly("SEI_RECONCILE_THREADS=\"0\": must be a whole number from 1 to 256");
    assertThat(operator.log()).isEmpty();
  }

  static Stream<String> switches() {
    return Cases.of(1, "KUBERNETES_TRUST_CERTIFICATES", "KUBERNETES_DISABLE_HOSTNAME_VERIFICATION");
  }

  @ParameterizedTest
  @MethodSource("switches")
  void anEnvironmentThatWouldTrustAnybody(String name) {
    OperatorProcess operator = start(kubeconfig(), Map.of(name, "true"));

    assertThat(operator.awaitExit()).isEqualTo(1);
    assertThat(operator.stderr())
        .singleElement()
        .asString()
        .startsWith("Cannot start: " + name + " is set, which would disable verification");
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

  @Tag("long")
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
  @Tag("long")
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
  @Tag("long")
  void aWatchThatIsForbidden() {
    FaultyApiServer door = door();
    door.inject(request -> request.path().endsWith("/seinodes"), ApiFault.error(403, "Forbidden"));

    OperatorProcess operator = startInNamespace(OperatorProcess.kubeconfig(door.config()));

    assertThat(operator.awaitExit()).isEqualTo(1);
    assertThat(operator.stderr()).singleElement().asString().contains("seinodes", "403");
  }

  private static int unusedPort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
