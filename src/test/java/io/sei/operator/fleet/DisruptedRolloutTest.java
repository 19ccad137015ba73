package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.PodFault;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Disturbs pods and machines while a fleet rolls out, with its first node in flight. */
class DisruptedRolloutTest extends FleetTestCase {

  /** A node that is down anyway may be updated at once; the one that serves may not. */
  @Test
  @Tag("long")
  void podThatIsDrainedLeavesTheLastOneServing() {
    beginToRoll(3);
    var pod = client.pods().inNamespace(namespace).withName(FLEET + "-0-0");
    eventually(() -> assertThat(disruptionsAllowed()).isZero());
    assertThat(pod.evict()).as("taken by a drain while another node is down").isFalse();
    // As a drain does with --disable-eviction.
    pod.delete();

    eventually(() -> assertThat(currentImages()).containsExactly(B, A, B));
    stays(() -> assertThat(pods(1)).hasSize(1));
    kubelet.clearImage(B);
    awaitUpToDate(nodes().size(), B);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(podImages(2)).containsExactly(A, B);
  }

  @Test
  @Tag("long")
  void machineThatIsGoneIsToldAndItsPodsAreMadeAgain() {
    beginToRoll(2);
    kubelet.loseNode();
    awaitLost();

    client.nodes().withName(kubelet.nodeName()).delete();

    // The garbage collector of pods gives a machine that is gone 40 seconds to register again.
    eventually(Duration.ofMinutes(3), () -> assertThat(pods(0)).hasSizeGreaterThan(1));
    kubelet.clearImage(B);
    kubelet.recoverNode();

    awaitUpToDate(nodes().size(), B);
  }

  @Tag("long")
  @Test
  void scaleThatIsDrivenUpAndDownLeavesTheBudgetAlone() {
    beginToRoll(3);
    for (int replicas : List.of(5, 4, 3)) {
      var scaled =
          controlPlane.kubectl("scale", "-n", namespace, "snd", FLEET, "--replicas=" + replicas);
      assertThat(scaled.exitCode()).as("%s", scaled).isZero();
      eventually(() -> assertThat(nodes()).hasSize(replicas));
    }
    stays(() -> assertThat(podUids(2)).allMatch(pods -> pods.size() == 1));

    kubelet.clearImage(B);

    awaitUpToDate(nodes().size(), B);
    assertThat(podImages(0)).containsExactly(A, B);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(pods(0).get(1).createdAt()).isAfter(pods(1).get(1).createdAt());
  }

  private void beginToRoll(int replicas) {
    createReady(replicas);
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    eventually(() -> assertThat(currentImages()).hasSize(replicas).last().isEqualTo(B));
  }

  private void awaitLost() {
    eventually(
        () ->
            assertThat(ordinals())
                .extracting(ordinal -> nodeCondition(ordinal, NodeConditionType.READY))
                .extracting(Condition::reason)
                .containsOnly(StallReason.NODE_LOST.toString()));
  }

  private Stream<Integer> ordinals() {
    return IntStream.range(0, nodes().size()).boxed();
  }

  private int disruptionsAllowed() {
    return client
        .policy()
        .v1()
        .podDisruptionBudget()
        .inNamespace(namespace)
        .withName(FLEET)
        .get()
        .getStatus()
        .getDisruptionsAllowed();
  }
}
