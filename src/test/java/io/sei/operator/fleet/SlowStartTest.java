package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.testkit.PodFault;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A rollout waits for a seid that migrates its data, and takes nothing back for it. */
class SlowStartTest extends FleetTestCase {

  /** The progress deadline of the node, and that of the rollout after it. */
  private static final Duration PAST_ALL_DEADLINES = Duration.ofMinutes(25);

  @Tag("long")
  @Test
  void waitsWithoutAStallAndGoesOn() {
    kubelet.injectForImage(B, PodFault.SLOW_SEID);
    create(fleetSpec(2, A, new InPlace(null, null, null, null, OnStall.ROLLBACK)));
    awaitUpToDate(2, A);

    setImage(B);

    eventually(
        () ->
            assertThat(nodeCondition(1, NodeConditionType.READY).isFor(NodeReason.STARTING))
                .isTrue());
    operator.clock().jumpTo(PAST_ALL_DEADLINES);
    awaitAnotherLook();
    assertThat(status().failedTemplateHash()).isNull();
    assertThat(podImages(0)).containsExactly(A);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(status().nodes())
        .filteredOn(summary -> summary.name().equals(FLEET + "-1"))
        .singleElement()
        .matches(summary -> summary.reason().equals("Starting"));
    assertCondition(FleetConditionType.STALLED, ConditionStatus.FALSE);

    kubelet.clearImage(B);

    awaitUpToDate(2, B);
    assertThat(events(FLEET, "RollingBack")).isEmpty();
  }
}
