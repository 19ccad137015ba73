package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Why a seid died or hangs, where the end of its log as a real kubelet keeps it does not say. Other
 * deaths are in the tests of what they are about: halts in UpgradeHaltTest, memory in NodeLifeTest.
 */
@Execution(ExecutionMode.CONCURRENT)
class DeathsTest extends MachineTestCase {

  private static final String V1 = Chain.V1.image();

  /** Starts a second seid on the data of the node, as soon as the first one releases it. */
  private static final String RIVAL =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: rival}
      spec:
        terminationGracePeriodSeconds: 0
        securityContext: {runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532}
        containers:
        - name: seid
          image: %s
          command: [/bin/bash, -c, 'until seid start --home /.sei; do sleep 0.1; done']
          volumeMounts: [{name: data, mountPath: /.sei}]
        volumes:
        - name: data
          persistentVolumeClaim: {claimName: data-%s}
      """;

  @Test
  void errorIsQuotedAndNotTheUsageThatFollowsIt() {
    createNode(Chain.V1_USAGE.image());

    eventually(() -> assertThat(condition("Stalled")).isEqualTo("True/CrashLoop"));

    assertThat(message("Stalled"))
        .contains("exit code 1: Error: unknown pruning strategy sometimes; see kubectl logs");
    assertThat(seid("status.containerStatuses", "lastState.terminated.message"))
        .as("what the kubelet keeps")
        .doesNotContain("Error: ")
        .contains("--");
  }

  @Test
  void brokenConfigurationIsToldByName() {
    createNode(V1);
    awaitBlocks(V1);

    String broken = "echo 'x = [' >> \"$HOME/config/config.toml\"";
    startsAgainAfter(broken);

    awaitCause("ConfigInvalid", "While parsing config: ", "correct spec.overrides");
  }

  @Test
  void fullDiskIsToldByName() {
    String size = "dataVolume: {storage: {resources: {requests: {storage: 64Mi}}}}";
    apply(Manifests.node(NODE, V1) + size.indent(2));
    awaitBlocks(V1);

    String fill = "while printf %04096d 0; do :; done >\"$HOME/filler\" 2>/dev/null; true";
    // A chain of one may live on without blocks; none starts without space.
    startsAgainAfter(fill);

    awaitCause("DiskFull", "no space left on device", "grow the volume");
  }

  @Test
  void lockedDataIsToldByNameAndPasses() {
    createNode(V1);
    awaitBlocks(V1);
    apply(RIVAL.formatted(V1, NODE));
    kubectl("wait", "pod/rival", "--for=jsonpath={.status.phase}=Running", "--timeout=2m");

    eventually(
        () -> {
          String ready = condition("Ready");
          if (ready.startsWith("True/")) {
            signal("KILL", "seid");
          }
          assertThat(ready).isEqualTo("False/DataLocked");
        });
    assertThat(message("Ready"))
        .contains("resource temporarily unavailable", "find and end the other process");
    kubectl("delete", "pod", "rival");

    awaitBlocks(V1);
    awaitReady();
  }

  @Test
  void hangIsReportedAndSeidIsNotRestarted() {
    createNode(V1);
    awaitBlocks(V1);
    awaitReady();
    String pod = podUid();

    signal("STOP", "seid");

    awaitCause("SeidNotResponding", "the process of seid runs", "has not answered since");
    assertThat(condition("CaughtUp")).isEqualTo("Unknown/SeidNotResponding");
    assertThat(condition("Stalled")).startsWith("False/");
    assertThat(restarts()).isZero();
    signal("CONT", "seid");

    awaitReady();
    awaitBlocks(V1);
    assertThat(podUid()).isEqualTo(pod);
  }

  private void startsAgainAfter(String command) {
    kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", command);
    signal("KILL", "seid");
  }

  private void awaitCause(String reason, String... words) {
    eventually(() -> assertThat(condition("Ready")).isEqualTo("False/" + reason));
    assertThat(message("Ready")).contains(words);
  }
}
