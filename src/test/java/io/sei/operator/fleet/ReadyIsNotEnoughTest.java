package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.ChainSimulator.Fault;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.samples.SeidDeaths;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node of a new template may be Ready before it has heard of its chain, and for seconds only. */
@Order(1)
class ReadyIsNotEnoughTest extends FleetTestCase {

  private static final SeidDeaths.Death WRONG_BLOCK =
      SeidDeaths.all()
          .filter(death -> death.name().startsWith("app hash wrong in a block,"))
          .findFirst()
          .orElseThrow();

  @Tag("long")
  @Test
  void theNextNodeWaitsUntilThisOneHasCaughtUp() {
    createReady(2);
    chain.fault(namespace, FLEET + "-1", Fault.CATCHING_UP);

    setImage(B);

    awaitReadyOn(1, B);
    awaitAnotherLook();
    assertThat(specImages()).containsExactly(A, B);
    assertThat(node(1).getStatus().seid().caughtUpAt()).isNull();

    chain.fault(namespace, FLEET + "-1", null);

    awaitUpToDate(2, B);
    assertThat(node(1).getStatus().seid().caughtUpAt()).isNotNull();
    assertThat(node(1).getStatus().seid().height()).isGreaterThan(50);
  }

  /** The node has made blocks when it crashes, and would be done. */
  @Test
  void imageThatCrashesSecondsAfterReadyReachesOneNode() {
    operator.stop();
    operator.with("SEI_CONFIRM_READY_AFTER_BLOCK", "60s");
    operator.with("SEI_CONFIRM_READY_WITHOUT_BLOCK", "60s");
    operator.start();
    createReady(2);

    setImage(B);

    awaitReadyOn(1, B);
    eventually(() -> assertThat(node(1).getStatus().seid().caughtUpAt()).isNotNull());
    kubelet.inject(namespace, FLEET + "-1-0", PodFault.CRASH_LOOP);
    eventually(
        () ->
            assertCondition(
                FleetConditionType.STALLED, ConditionStatus.TRUE, StallReason.CRASH_LOOP));
    stays(() -> assertThat(specImages()).containsExactly(A, B));
  }

  @Tag("long")
  @Test
  void oneCrashAfterItWasReadyHoldsEveryFurtherNode() {
    createReady(2);
    rollAndCrash(1);

    eventually(
        () -> {
          assertCondition(FleetConditionType.STALLED, ConditionStatus.TRUE, StallReason.CRASH_LOOP);
          assertThat(condition(FleetConditionType.STALLED).message())
              .startsWith("fleet-1: seid crashed after it was Ready: exit code 1");
        });
    kubelet.clear(namespace, FLEET + "-1-0");
    chain.fault(namespace, FLEET + "-1", null);

    awaitReadyOn(1, B);
    eventually(() -> assertThat(node(1).getStatus().seid().caughtUpAt()).isNotNull());
    stays(() -> assertThat(specImages()).containsExactly(A, B));
    assertCondition(FleetConditionType.STALLED, ConditionStatus.TRUE, StallReason.CRASH_LOOP);
  }

  /** A block that seid finds wrong ends it in the middle of its work, and it begins again. */
  @Test
  @Tag("long")
  void aCrashThatAnOlderImageMakesWorseIsNotRolledBackAlthoughItIsReadyAgain() {
    createReady(2, FleetRollbackTest.ROLLBACK);
    rollAndCrash(1, WRONG_BLOCK.fault());
    eventually(
        () -> assertThat(node(1).getStatus().seid().crashReason()).isEqualTo("AppHashMismatch"));

    kubelet.clear(namespace, FLEET + "-1-0");
    chain.fault(namespace, FLEET + "-1", null);

    // A rollback would come before the node has been Ready for long enough.
    awaitUpToDate(2, B);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(events(FLEET, "RolledBack")).isEmpty();
  }

  private void rollAndCrash(int ordinal) {
    rollAndCrash(ordinal, PodFault.CRASH_LOOP);
  }

  /** Crashes the node before it has caught up, so that the rollout is still active. */
  private void rollAndCrash(int ordinal, PodFault crash) {
    chain.fault(namespace, FLEET + "-" + ordinal, Fault.CATCHING_UP);
    setImage(B);
    awaitReadyOn(ordinal, B);
    kubelet.inject(namespace, FLEET + "-" + ordinal + "-0", crash);
  }

  private void awaitReadyOn(int ordinal, String image) {
    eventually(
        () -> {
          assertThat(node(ordinal).getStatus().currentImage()).isEqualTo(image);
          assertThat(nodeCondition(ordinal, NodeConditionType.UP_TO_DATE).isTrue()).isTrue();
          assertThat(nodeCondition(ordinal, NodeConditionType.READY).isTrue()).isTrue();
        });
  }
}
