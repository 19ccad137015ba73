package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SnapshotStop;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarVersion;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Stops a node: it is paused, held for work on its volume, or stopped for a snapshot. */
class PauseTest extends RolloutTestCase {

  private static final Duration LONGER_THAN_ANY_DEADLINE = Duration.ofHours(1);

  @Test
  void pausedNodeHasNoPodKeepsItsClaimAndItsPlanAndStartsWithTheLastImage() {
    createRunning();
    String claim = claimUid();

    pause(true);

    awaitPaused();
    assertThat(claimUid()).isEqualTo(claim);
    assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "Paused");
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);

    setImage(B);
    setImage(C);
    pause(false);

    awaitUpToDate(C);
    assertThat(images()).containsExactly(A, C);
    assertThat(claimUid()).isEqualTo(claim);
    assertThat(podDeletes()).isZero();
    eventually(() -> assertThat(occurrences("Unpaused")).isEqualTo(1));
    assertThat(occurrences("Paused")).isEqualTo(1);
    assertPlanGoesOnWhereItWasPaused();
  }

  private void assertPlanGoesOnWhereItWasPaused() {
    sidecarFaults().hold(MARK_READY);
    setImage(B);
    awaitStep(MARK_READY);
    String plan = plan().id();

    pause(true);
    awaitPaused();
    assertThat(plan().id()).isEqualTo(plan);
    assertThat(step()).isEqualTo(MARK_READY);
    sidecarFaults().release(MARK_READY);
    try (var versions = new NodeVersions(client, namespace)) {
      pause(false);

      awaitUpToDate(B);
      assertThat(versions.seen(SeiNodeStatus::plan)).allMatch(seen -> seen.id().equals(plan));
    }
    assertThat(images()).containsExactly(A, C, B, B);
    assertThat(events("PlanSuperseded")).isEmpty();
  }

  /** Found by soak seed 11: the plan waited for a sidecar without a pod. */
  @Tag("long")
  @Test
  void configurationMayBeCorrectedInTheEditThatEndsAPause() {
    createRunning();
    patch("{'spec':{'overrides':{'no.such':'1'}}}");
    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    pause(true);
    eventually(() -> assertThat(pod()).isNull());

    patch("{'spec':{'paused':false,'overrides':null}}");

    awaitUpToDate(A);
  }

  @Tag("long")
  @Test
  void timeSpentPausedIsNoStall() {
    createRunning();
    pause(true);
    awaitPaused();
    operator.clock().jumpTo(LONGER_THAN_ANY_DEADLINE);
    stays(() -> assertThat(pod()).isNull());

    pause(false);

    awaitUpToDate(A);
    assertThat(events("Stalled")).isEmpty();
  }

  private void pause(boolean paused) {
    patch("{'spec':{'paused':%s}}".formatted(paused));
  }

  private void awaitPaused() {
    eventually(
        () -> {
          assertThat(pod()).isNull();
          assertThat(statefulSet().getSpec().getReplicas()).isZero();
          assertCondition(NodeConditionType.PAUSED, ConditionStatus.TRUE);
          assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "Paused");
          assertThat(node().getStatus().reason()).isEqualTo("Paused");
        });
  }

  private String claimUid() {
    return client
        .persistentVolumeClaims()
        .inNamespace(namespace)
        .withName("data-" + NODE)
        .get()
        .getMetadata()
        .getUid();
  }

  /** A person keeps seid from running to work on its volume. */
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

  @Tag("long")
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

  /** Stops a node by the annotation alone: the fleet that wrote it may be gone. */
  @Tag("long")
  @Test
  void nodeIsStoppedUntilItsFleetTakesTheAnnotationOff() {
    createRunning();
    String hash = node().getStatus().podSpecHash();

    stop();

    awaitStopped();
    assertThat(node().getStatus().podSpecHash()).isEqualTo(hash);
    assertThat(node().getStatus().reason()).isEqualTo("StoppedForSnapshot");
    assertThat(node().getStatus().stopped().snapshot()).isEqualTo("a-snapshot");

    patch("{'metadata':{'annotations':{'%s':null}}}".formatted(Annotations.STOPPED_UNTIL));

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, A);
    assertThat(node().getStatus().stopped()).isNull();
    assertThat(podDeletes()).isZero();
    assertThat(events("Stalled")).isEmpty();
  }

  @Tag("long")
  @Test
  void overdueStopEndsByItselfWhenAnOperatorIsThereAgain() {
    createRunning();
    stop();
    awaitStopped();

    operator.stop();
    operator.clock().jumpTo(SnapshotStop.LONGEST.plus(Duration.ofHours(1)));
    operator.start();

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, A);
    assertThat(events("Stalled")).isEmpty();
  }

  private void stop() {
    patch(
        "{'metadata':{'annotations':{'%s':'a-snapshot','%s':'%s'}}}"
            .formatted(
                Annotations.STOPPED_FOR,
                Annotations.STOPPED_UNTIL,
                Instant.now().plus(SnapshotStop.LONGEST)));
  }

  private void awaitStopped() {
    eventually(
        () -> {
          assertThat(pod()).isNull();
          assertThat(statefulSet().getSpec().getReplicas()).isZero();
          assertCondition(NodeConditionType.PAUSED, ConditionStatus.TRUE, "StoppedForSnapshot");
          assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "StoppedForSnapshot");
        });
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }
}
