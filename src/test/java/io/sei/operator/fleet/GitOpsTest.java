package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A GitOps tool applies the same manifest again and again, each in its own way. */
class GitOpsTest extends FleetTestCase {

  private static final String SERVER_SIDE = "apply --server-side --field-manager=gitops";

  private static final String ALONE = "alone";
  private static final int TIMES = 5;

  @TempDir private Path directory;

  static Stream<Arguments> tools() {
    return Cases.of(
        1,
        Arguments.of(SERVER_SIDE, SERVER_SIDE + " --force-conflicts"),
        Arguments.of("apply", "apply"),
        Arguments.of("create", "replace"));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("tools")
  void manifestThatIsAppliedAgainCausesNoWriteAndNoRestart(String first, String again) {
    kubectl(first, 0);
    eventually(() -> assertThat(readAll(SeiNode.class)).hasSize(2).allMatch(GitOpsTest::isAtRest));
    kubectl(again, 1);
    awaitAnswer(1);
    awaitAnotherLookAtNodes();
    kubectl(again, 2);
    awaitAnswer(2);
    operator.requests().clear();

    for (int time = 0; time < TIMES; time++) {
      kubectl(again, 2);
    }

    kubectl(again, 3);
    awaitAnswer(3);
    assertThat(operator.requests().matching(Request::isWrite))
        .as("the answers to what the last manifest asks for")
        .hasSize(2)
        .allMatch(request -> request.path().endsWith("/status"));
    assertThat(pods(0)).hasSize(1);
    assertThat(kubelet.history(namespace, ALONE + "-0")).hasSize(1);
  }

  private static boolean isAtRest(SeiNode node) {
    return List.of(
            NodeConditionType.READY, NodeConditionType.UP_TO_DATE, NodeConditionType.SIDECAR_READY)
        .stream()
        .allMatch(type -> Conditions.isTrue(node.getStatus().conditions(), type));
  }

  /** Waits until fleet and node report what the manifest with this number asks for. */
  private void awaitAnswer(int number) {
    String request = String.valueOf(number);
    eventually(
        () -> {
          assertThat(status().explain().request()).isEqualTo(request);
          assertThat(read(SeiNode.class, ALONE).getStatus().explain().request()).isEqualTo(request);
        });
  }

  private void kubectl(String how, int number) {
    var command = new ArrayList<>(List.of("-n", namespace));
    command.addAll(List.of(how.split(" ")));
    command.addAll(List.of("-f", manifest(number).toString()));
    KubectlResult result = controlPlane.kubectl(command.toArray(String[]::new));
    assertThat(result.exitCode()).as("%s", result).isZero();
  }

  private Path manifest(int number) {
    try {
      return Files.writeString(
          directory.resolve("manifest.yaml"),
          """
          apiVersion: sei.io/v1alpha1
          kind: SeiNodeDeployment
          metadata:
            name: %s
            annotations: {sei.io/explain: "%d"}
          spec:
            replicas: 1
            template:
              spec: {chainId: atlantic-2, image: "%s", fullNode: {}}
          ---
          apiVersion: sei.io/v1alpha1
          kind: SeiNode
          metadata:
            name: %s
            annotations: {sei.io/explain: "%d"}
          spec: {chainId: atlantic-2, image: "%s", fullNode: {}}
          """
              .formatted(FLEET, number, A, ALONE, number, A));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
