package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SnapshotStop;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Stops a node by the annotation alone: the fleet that wrote it may be gone. */
class StoppedForSnapshotTest extends RolloutTestCase {

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
