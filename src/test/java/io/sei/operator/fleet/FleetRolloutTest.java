package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import org.junit.jupiter.api.Test;

/** A new template reaches every node, and no more of them are taken down than allowed. */
class FleetRolloutTest extends FleetTestCase {

  @Test
  void takesDownEveryNodeOnceAndOneAtATimeFromTheHighestOrdinal() {
    createReady(3);
    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);
      awaitUpToDate(3, B);

      assertThat(watch.mostUnready()).isEqualTo(1);
      assertThat(watch.admissions()).containsSubsequence(1L, 2L, 3L);
    }
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(podImages(ordinal)).containsExactly(A, B);
    }
    for (int ordinal = 0; ordinal < 2; ordinal++) {
      assertThat(pods(ordinal).get(0).deletionRequestedAt())
          .isAfterOrEqualTo(pods(ordinal + 1).get(1).createdAt());
    }
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertCondition(
        FleetConditionType.ROLLOUT_IN_PROGRESS,
        ConditionStatus.FALSE,
        FleetReason.ROLLOUT_COMPLETE);
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
  }

  @Test
  void keepsNodesBelowThePartitionOnExactlyTheOldTemplate() {
    createReady(3, new InPlace(null, 2, null, null, null));
    String before = node(0).getMetadata().getLabels().get("sei.io/revision");

    patch(
        "{'spec':{'template':{'metadata':{'labels':{'team':'new'}},"
            + "'spec':{'image':'%s','resources':{'limits':{'memory':'1Gi'}}}}}}".formatted(B));

    eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));
    awaitEvents("RolloutComplete", 1);
    assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.TRUE);
    assertThat(status().updated()).isEqualTo("1/3");

    String uid = node(0).getMetadata().getUid();
    client.resource(node(0)).delete();

    eventually(
        () -> {
          assertThat(node(0).getMetadata().getUid()).isNotEqualTo(uid);
          assertThat(currentImages()).containsExactly(A, A, B);
          assertThat(status().phase()).isEqualTo(FleetPhase.READY);
        });
    assertThat(node(0).getMetadata().getLabels())
        .containsEntry("sei.io/revision", before)
        .doesNotContainKey("team");
    assertThat(node(0).getSpec().resources()).isNull();
    assertThat(podImages(1)).containsExactly(A);

    patch("{'spec':{'updateStrategy':{'inPlace':{'partition':0}}}}");

    awaitUpToDate(3, B);
    assertThat(node(0).getMetadata().getLabels()).containsEntry("team", "new");
  }
}
