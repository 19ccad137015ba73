package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The clock of the operator's machine is set back and forth while a fleet rolls. */
class WrongClockTest extends FleetTestCase {

  private static final String MARK_READY = "mark-ready";
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  @Tag("long")
  void rolloutsGoOnAndNothingIsDatedAheadForLong() {
    createReady(2, new InPlace(null, null, null, null, OnStall.ROLLBACK));
    beginToRoll(B);

    operator.clock().jumpTo(HOUR.negated());

    eventually(
        () ->
            assertThat(node(1).getStatus().plan().currentTask().map(PlannedTask::startedAt))
                .hasValueSatisfying(this::isPast));
    assertThat(eventsOf(FLEET + "-1")).noneMatch(event -> event.getReason().equals("Stalled"));
    sidecar.faults(namespace, FLEET + "-1").release(MARK_READY);
    awaitUpToDate(2, B);

    beginToRoll(C);
    operator.clock().jumpTo(HOUR);
    awaitAnotherLook();
    sidecar.faults(namespace, FLEET + "-1").release(MARK_READY);
    awaitUpToDate(2, C);
    assertThat(podImages(0)).containsExactly(A, B, C);
    assertThat(podImages(1)).containsExactly(A, B, C);

    operator.clock().jumpTo(Duration.ZERO);
    stays(() -> assertThat(podImages(1)).hasSize(3));
    eventually(
        () -> {
          assertThat(nodes()).flatExtracting(WrongClockTest::changes).allSatisfy(this::isPast);
          assertThat(status().conditions())
              .extracting(Condition::lastTransitionTime)
              .allSatisfy(this::isPast);
        });
  }

  private void beginToRoll(String image) {
    sidecar.faults(namespace, FLEET + "-1").hold(MARK_READY);
    int released = sidecar.executions(namespace, FLEET + "-1", MARK_READY);
    setImage(image);
    eventually(
        () ->
            assertThat(sidecar.executions(namespace, FLEET + "-1", MARK_READY))
                .isGreaterThan(released));
  }

  private static List<Instant> changes(SeiNode node) {
    return node.getStatus().conditions().stream().map(Condition::lastTransitionTime).toList();
  }

  private void isPast(Instant moment) {
    assertThat(moment).isBeforeOrEqualTo(operator.clock().instant());
  }
}
