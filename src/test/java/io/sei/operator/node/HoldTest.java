package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarVersion;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A person keeps seid from running to work on its volume. */
class HoldTest extends RolloutTestCase {

  private static final Duration LONGER_THAN_ANY_DEADLINE = Duration.ofHours(1);

  @Test
  void heldNodeHasAPodInWhichSeidIsNotStartedUntilItIsReleased() {
    createRunning();

    hold("'Immediate'");

    awaitHeld();
    assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "Held");
    assertThat(node().getStatus().reason()).isEqualTo("Held");
    operator.clock().jumpTo(LONGER_THAN_ANY_DEADLINE);
    patch("{'spec':{'overrides':{'mempool.size':'9000'}}}");
    stays(
        () -> {
          assertThat(images()).containsExactly(A, A);
          assertThat(markReadyRuns()).isEqualTo(1);
          assertThat(condition(NodeConditionType.STALLED).isTrue()).isFalse();
        });

    hold("null");

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, A, A);
    assertThat(markReadyRuns()).isEqualTo(2);
    assertCondition(NodeConditionType.HELD, ConditionStatus.FALSE, "NotHeld");
    assertThat(events("Stalled")).isEmpty();
  }

  @Tag("long")
  @Test
  void seidThatIsHeldAfterItsExitRunsUntilThen() {
    sidecar.version(SidecarVersion.V0_0_70);
    createRunning();
    String before = podUid();

    hold("'AfterExit'");

    awaitCondition(NodeConditionType.HELD, ConditionStatus.FALSE, "AwaitingExit");
    operator.clock().jumpTo(LONGER_THAN_ANY_DEADLINE);
    stays(
        () -> {
          assertThat(podUid()).isEqualTo(before);
          assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
          assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
        });

    hold("null");

    awaitUpToDate(A);
    assertThat(podUid()).as("released in time").isEqualTo(before);

    hold("'AfterExit'");
    awaitCondition(NodeConditionType.HELD, ConditionStatus.FALSE, "AwaitingExit");
    kubelet.inject(namespace, POD, new PodFault.CrashLoop(2));

    awaitHeld();
    assertThat(images()).containsExactly(A, A);
    kubelet.clear(namespace, POD);
    setImage(B);
    eventually(() -> assertThat(images()).containsExactly(A, A, B));
    awaitHeld();
    int released = markReadyRuns();

    hold("null");

    awaitUpToDate(B);
    assertThat(markReadyRuns()).isEqualTo(released + 1);
  }

  @Tag("long")
  @Test
  void haltIsRecordedAndSeidIsStillNotStarted() {
    sidecar.version(SidecarVersion.V0_0_70);
    createRunning();
    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));
    hold("'AfterExit'");
    awaitCondition(NodeConditionType.HELD, ConditionStatus.FALSE, "AwaitingExit");

    kubelet.halt(namespace, POD, "v2", 100);

    awaitHeld();
    eventually(
        () ->
            assertThat(node().getStatus().upgrades())
                .singleElement()
                .matches(upgrade -> upgrade.state() == UpgradeState.APPLIED));
    stays(() -> assertThat(markReadyRuns()).isEqualTo(1));

    hold("null");

    awaitUpToDate(B);
    assertThat(markReadyRuns()).isEqualTo(2);
  }

  @Test
  void olderSidecarIsNamedAndNothingIsTouched() {
    createRunning();
    String before = podUid();

    hold("'AfterExit'");

    awaitStalled(StallReason.SIDECAR_UNSUPPORTED);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("does not support the task type mark-not-ready");
    assertCondition(NodeConditionType.HELD, ConditionStatus.FALSE, "Holding");
    stays(
        () -> {
          assertThat(podUid()).isEqualTo(before);
          assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
        });

    hold("null");

    awaitUpToDate(A);
    assertThat(podUid()).isEqualTo(before);
  }

  @Tag("long")
  @Test
  void newNodeCanBeGivenItsDataByHandFirst() {
    create(spec(A).withMaintenance(new Maintenance(Maintenance.Hold.IMMEDIATE)));

    awaitHeld();
    assertThat(sidecar.executions(namespace, NODE, MARK_READY)).isZero();
    assertThat(node().getStatus().phase()).isNotEqualTo(NodePhase.RUNNING);

    hold("null");

    awaitUpToDate(A);
    assertThat(sidecar.executions(namespace, NODE, "configure-genesis")).isEqualTo(1);
  }

  private void hold(String how) {
    patch("{'spec':{'maintenance':{'hold':%s}}}".formatted(how));
  }

  private void awaitHeld() {
    eventually(
        () -> {
          assertCondition(NodeConditionType.HELD, ConditionStatus.TRUE, "Held");
          assertThat(plan()).isNull();
          assertThat(pod().getSpec().getReadinessGates()).hasSize(1);
        });
  }
}
