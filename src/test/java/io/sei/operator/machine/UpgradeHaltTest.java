package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A chain that really halts, and a kubelet that restarts it again and again. */
@Execution(ExecutionMode.CONCURRENT)
class UpgradeHaltTest extends MachineTestCase {

  @Test
  void goesOnWithTheNextImageOutOfItsCrashLoopBackOff() {
    createNode(Chain.V1_HALTING.image());
    eventually(() -> assertThat(kubectl("get", "pods")).contains("CrashLoopBackOff"));
    String halted = podUid();

    editImage(Chain.V2.image());

    awaitBlocks(Chain.V2.image());
    assertThat(awaitHeight(POD, Chain.HEIGHT + 1)).isGreaterThan(Chain.HEIGHT);
    assertThat(podUid()).isNotEqualTo(halted);
    assertThat(restarts()).isZero();
  }

  @Test
  void isToldForAsLongAsItLastsAndNothingElse() {
    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      createNode(Chain.V1_HALTING.image());

      eventually(() -> assertThat(restarts()).isGreaterThanOrEqualTo(5));

      assertThat(condition("Ready")).isEqualTo("False/HaltedAtUpgrade");
      assertThat(message("Ready")).contains("\"v2\" at height " + Chain.HEIGHT);
      assertThat(condition("Stalled")).isEqualTo("False/NotStalled");
      assertThat(reasons.seen()).contains("HaltedAtUpgrade").doesNotContain("CrashLoop");
    }
  }

  @Test
  void imageThatCameTooEarlyIsToldForAsLongAsItIsThere() {
    giveTheNextImageTooEarly(3);

    assertThat(condition("Ready")).isEqualTo("False/ImageTooEarly");
  }

  @Test
  void oldImageGoesOnAfterOneThatCameTooEarly() {
    giveTheNextImageTooEarly(1);

    editImage(Chain.V1_HALTING.image());

    // It halts at the height, of which the first image has made the rest of the way.
    eventually(
        () ->
            assertThat(kubectl("logs", POD, "-c", "seid", "--previous"))
                .contains("UPGRADE \"v2\" NEEDED at height: " + Chain.HEIGHT));
  }

  private void giveTheNextImageTooEarly(int restarts) {
    createNode(Chain.V1_HALTING.image());
    awaitHeight(POD, 2);
    editImage(Chain.V2.image());
    eventually(
        () -> {
          assertThat(status("status.currentImage")).isEqualTo(Chain.V2.image());
          assertThat(restarts()).isGreaterThanOrEqualTo(restarts);
        });
  }
}
