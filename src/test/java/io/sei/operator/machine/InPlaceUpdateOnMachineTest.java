package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A real kubelet gives a running pod another image. */
@Execution(ExecutionMode.CONCURRENT)
class InPlaceUpdateOnMachineTest extends MachineTestCase {

  private static final String POLICY =
      "{\"spec\":{\"updatePolicy\":{\"pod\":\"InPlaceIfPossible\"}}}";

  @Test
  void nodeThatHaltsGoesOnWithTheListedImageInItsPod() {
    createNode(Chain.V1_HALTING.image());
    patch(POLICY);
    awaitHeight(POD, 1);
    String before = podUid();
    listUpgrade(Chain.HEIGHT, Chain.V2.image());

    awaitBlocks(Chain.V2.image());

    assertThat(awaitHeight(POD, Chain.HEIGHT + 1)).isGreaterThan(Chain.HEIGHT);
    assertThat(podUid()).isEqualTo(before);
    assertThat(status("status.podUpdate.how")).isEqualTo("InPlace");
    assertThat(status("status.upgrades[0].state")).isEqualTo("Applied");
    eventually(
        () ->
            assertThat(kubectl("get", "statefulset", "-o", "jsonpath={..status.updatedReplicas}"))
                .isEqualTo("1"));
  }

  @Test
  void imageIsChangedOutOfACrashLoopBackOffAndWhileItRuns() {
    createNode(Chain.V1_HALTING.image());
    patch(POLICY);
    eventually(() -> assertThat(kubectl("get", "pods")).contains("CrashLoopBackOff"));
    String before = podUid();

    editImage(Chain.V2.image());

    awaitBlocks(Chain.V2.image());
    assertThat(podUid()).isEqualTo(before);
    awaitReady();
    assertThat(condition("Stalled")).startsWith("False/");

    editImage(Chain.V2.image() + "-typo");

    eventually(() -> assertThat(condition("Stalled")).isEqualTo("True/ImagePull"));
    eventually(() -> assertThat(status("status.podUpdate.reason")).isEqualTo("ImagePull"));
    editImage(Chain.V2.image());
    awaitBlocks(Chain.V2.image());
  }
}
