package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

  static Stream<Arguments> limits() {
    return Cases.of(1, Arguments.of("50%", 2), Arguments.of("2", 2), Arguments.of("100", 4));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void takesDownAsManyNodesAsAllowed(String limit, int nodes) {
    createReady(4, atMostUnavailable(limit.contains("%") ? limit : Integer.valueOf(limit)));
    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);
      awaitUpToDate(4, B);

      assertThat(watch.mostUnready()).isLessThanOrEqualTo(nodes);
      assertThat(watch.admissions().stream().filter(admitted -> admitted > 0).findFirst())
          .contains((long) nodes);
    }
  }

  @Test
  void rollsAHaltedFleetInOneWave() {
    createReady(3);
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      kubelet.halt(namespace, FLEET + "-" + ordinal + "-0", "v2", 12345);
    }
    eventually(
        () -> {
          for (int ordinal = 0; ordinal < 3; ordinal++) {
            assertThat(nodeCondition(ordinal, NodeConditionType.READY).reason())
                .isEqualTo(StallReason.HALTED_AT_UPGRADE.toString());
          }
          assertThat(status().readyReplicas()).isZero();
        });
    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);
      awaitUpToDate(3, B);

      assertThat(watch.admissions()).containsSubsequence(0L, 3L).doesNotContain(1L, 2L);
    }
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(podImages(ordinal)).containsExactly(A, B);
    }
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

  @Test
  void waitsUntilANodeHasBeenReadyLongEnough() {
    createReady(2, new InPlace(null, null, 3, null, null));
    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);
      awaitUpToDate(2, B);

      Instant firstReady = nodeCondition(1, NodeConditionType.READY).lastTransitionTime();
      assertThat(watch.lastRollout().node(FLEET + "-0").orElseThrow().admittedAt())
          .isAfterOrEqualTo(firstReady.plusSeconds(3));
    }
  }

  @Test
  void aNewerTemplateSupersedesOneOnItsWay() {
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    createReady(3);
    setImage(B);
    eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));

    setImage(C);

    awaitUpToDate(3, C);
    assertThat(podImages(0)).containsExactly(A, C);
    assertThat(podImages(1)).containsExactly(A, C);
    assertThat(podImages(2)).containsExactly(A, B, C);
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(events(FLEET, "RolloutSuperseded")).hasSize(1);
  }

  @Test
  void holdsEveryFurtherNodeWhileOneIsStalled() {
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    createReady(3, atMostUnavailable(2));

    setImage(B);

    eventually(
        () ->
            assertCondition(
                FleetConditionType.STALLED, ConditionStatus.TRUE, StallReason.IMAGE_PULL));
    Condition stalled = condition(FleetConditionType.STALLED);
    assertThat(stalled.message()).containsAnyOf(FLEET + "-2", FLEET + "-1");
    stays(
        () -> {
          assertThat(specImages()).containsExactly(A, B, B);
          assertThat(status().phase()).isEqualTo(FleetPhase.UPGRADING);
        });
    assertThat(podImages(0)).containsExactly(A);
    awaitEvents("Stalled", 1);
    assertThat(events(FLEET, "RolloutComplete")).isEmpty();
  }

  @Test
  @Tag("long")
  void undoingABadImageRecoversAndRestartsOnlyWhatItTouched() {
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    createReady(3);
    String completed = status().templateHash();
    setImage(B);
    eventually(
        () -> {
          assertCondition(FleetConditionType.STALLED, ConditionStatus.TRUE, StallReason.IMAGE_PULL);
          assertThat(condition(FleetConditionType.STALLED).message()).contains(FLEET + "-2");
        });
    stays(() -> assertThat(specImages()).containsExactly(A, A, B));

    setImage(A);

    awaitUpToDate(3, A);
    assertCondition(FleetConditionType.STALLED, ConditionStatus.FALSE);
    assertThat(podImages(0)).containsExactly(A);
    assertThat(podImages(1)).containsExactly(A);
    assertThat(podImages(2)).containsExactly(A, B, A);
    assertThat(status().templateHash()).isEqualTo(completed);
    assertThat(status().rollout()).isNull();
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutSuperseded")).hasSize(1);
  }

  @Test
  @Tag("long")
  void aNodePausedBySomebodyIsSkippedUntilItIsResumed() {
    createReady(3);
    patch(node(1), "{'spec':{'paused':true}}");
    eventually(
        () ->
            assertThat(nodeCondition(1, NodeConditionType.READY).reason())
                .isEqualTo(NodeReason.PAUSED.toString()));

    setImage(B);

    awaitEvents("RolloutComplete", 1);
    eventually(() -> assertThat(status().rollout()).isNull());
    assertThat(specImages()).containsExactly(B, A, B);
    assertThat(node(1).getSpec().paused()).isTrue();
    assertThat(status().nodes().get(1).reason()).isEqualTo(FleetReason.NODE_PAUSED.toString());

    patch(node(1), "{'spec':{'paused':null}}");

    awaitUpToDate(3, B);
    assertThat(List.of(podImages(0).size(), podImages(2).size())).containsOnly(2);
  }
}
