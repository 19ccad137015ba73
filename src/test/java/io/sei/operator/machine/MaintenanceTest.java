package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A person works on the volume of a node. */
@Execution(ExecutionMode.CONCURRENT)
class MaintenanceTest extends MachineTestCase {

  private static final String V1 = Chain.V1.image();

  @Test
  void heldNodeHasAShellOnItsVolumeAndNoSeid() {
    createNode(V1);
    awaitBlocks(V1);
    int before = awaitHeight(POD, 2);

    hold("\"Immediate\"");
    kubectl("wait", "seinode/" + NODE, "--for=condition=Held", "--timeout=3m");

    assertThat(condition("Ready")).isEqualTo("False/Held");
    assertThat(inPod("for p in /proc/[0-9]*; do read -r n <$p/comm && echo $n; done 2>/dev/null"))
        .doesNotContain("seid");
    assertThat(inPod("ls /.sei/config")).contains("node_key.json");
    assertThat(field("pods", POD, "status.conditions[?(@.type=='Ready')].status"))
        .isEqualTo("False");

    hold("null");

    eventually(() -> assertThat(condition("Held")).isEqualTo("False/NotHeld"));
    awaitHeight(POD, before + 1);
  }

  /**
   * Uses a simulated sidecar: the real one that is given to these tests may be older. Its image
   * begins with {@code sei-sidecar serve}, as that of the sidecar in the Go operator's own tree.
   */
  @Test
  @Tag("long")
  void seidThatIsHeldAfterItsExitRunsUntilThen() {
    createNode(V1);
    patch("{\"spec\":{\"sidecar\":{\"image\":\"ghcr.io/sei-protocol/sei-sidecar:186d65a\"}}}");
    awaitBlocks(V1);
    String before = podUid();

    hold("\"AfterExit\"");

    eventually(() -> assertThat(condition("Held")).isEqualTo("False/AwaitingExit"));
    awaitHeight(POD, awaitHeight(POD, 1) + 5);
    assertThat(podUid()).isEqualTo(before);
    signal("KILL", "seid");

    kubectl("wait", "seinode/" + NODE, "--for=condition=Held", "--timeout=3m");
    assertThat(podUid()).isNotEqualTo(before);
    hold("null");
    awaitBlocks(V1);
  }

  @Test
  @Tag("long")
  void olderSidecarIsRefusedAndSeidRunsOn() {
    createNode(V1);
    awaitBlocks(V1);
    String before = podUid();

    hold("\"AfterExit\"");

    eventually(() -> assertThat(condition("Stalled")).isEqualTo("True/SidecarUnsupported"));
    assertThat(podUid()).isEqualTo(before);
    hold("null");
    awaitBlocks(V1);
    assertThat(podUid()).isEqualTo(before);
  }

  /** The chain begins again at its first height, and its one validator signs no height twice. */
  @Test
  @Tag("long")
  void resetKeepsNodeKeyAndSigningState() {
    createNode(V1);
    awaitBlocks(V1);
    String key = inPod("cat /.sei/config/node_key.json");
    inPod("echo x > /.sei/data/old");
    int signed = signedHeight();

    patch("{\"spec\":{\"dataResetGeneration\":1}}");

    eventually(() -> assertThat(status("status.dataReset.completedAt")).isNotEmpty());
    assertThat(inPod("cat /.sei/config/node_key.json")).isEqualTo(key);
    assertThat(signedHeight()).isGreaterThanOrEqualTo(signed);
    assertThat(inPod("ls /.sei/data")).doesNotContain("old");
  }

  private int signedHeight() {
    Matcher matcher =
        Pattern.compile("\"height\": *\"(\\d+)\"")
            .matcher(inPod("cat /.sei/data/priv_validator_state.json"));
    assertThat(matcher.find()).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  private void hold(String how) {
    patch("{\"spec\":{\"maintenance\":{\"hold\":%s}}}".formatted(how));
  }

  private String inPod(String script) {
    return kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", script);
  }
}
