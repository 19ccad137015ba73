package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The sidecar behind the real proxy, in a pod that has another address each time. */
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class SidecarOnMachineTest extends MachineTestCase {

  /** A name that is resolved just when Java's cache drops it is right, so once may be luck. */
  private static final int ROLLS = 3;

  private static final String REQUEST =
      """
      exec 3<>/dev/tcp/127.0.0.1/8443
      printf 'GET /v0/status HTTP/1.0\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n' >&3
      read -r line <&3 && echo "$line"
      """;

  @Test
  void sidecarOfTheNewPodIsAskedAtItsOwnAddress() {
    createNode(Chain.V1.image());
    awaitBlocks(Chain.V1.image());

    for (int roll = 0; roll < ROLLS; roll++) {
      awaitReady();
      String before = field("pods", POD, "status.podIP");
      try (var reasons = new ReadyReasons(machine.client(), namespace)) {
        String next = (roll % 2 == 0 ? Chain.V2 : Chain.V1).image();
        editImage(next);
        awaitBlocks(next);
        awaitReady();
        assertThat(reasons.messages()).noneMatch(message -> message.contains(before + ":"));
      }
    }
  }

  @Test
  void proxyAcceptsTokensForItsNodeAndNoOthersAndASidecarThatHangsIsRestartedItself() {
    createNode(Chain.V1.image());
    awaitBlocks(Chain.V1.image());
    String client = Machine.OPERATOR + "-sidecar-client";
    String audience = "--audience=sei.io/sidecar/%s/%s".formatted(namespace, NODE);

    assertThat(answerTo(token(client, audience))).contains(" 200 ");
    assertThat(answerTo(token(client, audience + "-other"))).contains(" 401 ");
    assertThat(answerTo(token(client))).contains(" 401 ");
    assertThat(answerTo(token(Machine.OPERATOR, audience))).contains(" 403 ");
    assertThatThrownBy(
            () -> machine.kubectl("--token=" + token(client, audience), "auth", "whoami"))
        .hasMessageContaining("must be logged in");

    signal("STOP", "java");
    eventually(
        () -> assertThat(restarts("kube-rbac-proxy") + restarts("sei-sidecar")).isPositive());

    assertThat(restarts("kube-rbac-proxy")).as("restarts of the proxy").isZero();
  }

  private String token(String serviceAccount, String... options) {
    var command =
        new ArrayList<>(List.of("-n", Machine.OPERATOR, "create", "token", serviceAccount));
    command.addAll(List.of(options));
    return machine.kubectl(command.toArray(String[]::new)).strip();
  }

  /** Returns the first line of the proxy's answer to this token. */
  private String answerTo(String token) {
    return kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", REQUEST.formatted(token));
  }

  private int restarts(String container) {
    return Integer.parseInt(container("status.initContainerStatuses", container, "restartCount"));
  }
}
