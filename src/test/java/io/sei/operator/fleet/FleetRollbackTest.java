package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.testkit.ChainSimulator.Fault;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.StoredStatuses;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A template whose nodes stall or crash stops at the first of them, and with {@code onStall:
 * Rollback} is rolled back, once.
 */
@Order(1)
class FleetRollbackTest extends FleetTestCase {

  static final InPlace ROLLBACK = new InPlace(null, null, null, 2, OnStall.ROLLBACK);

  private static final SeidDeaths.Death WRONG_BLOCK =
      SeidDeaths.all()
          .filter(death -> death.name().startsWith("app hash wrong in a block,"))
          .findFirst()
          .orElseThrow();

  @Test
  void goesBackToTheLastCompletedTemplateAndStaysThere() {
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    createReady(3, ROLLBACK);
    String good = status().completedTemplateHash();

    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);

      awaitRolledBack();
      assertThat(watch.statuses()).isNotEmpty().allSatisfy(GitOpsTest::assertColumnsAgree);
    }
    String bad = status().failedTemplateHash();
    assertThat(bad).isNotEqualTo(good).isNotNull();
    assertThat(status().completedTemplateHash()).isEqualTo(good);
    assertThat(podImages(0)).containsExactly(A);
    assertThat(podImages(1)).containsExactly(A);
    assertThat(podImages(2)).containsExactly(A, B, A);
    awaitEvents("RolledBack", 1);
    assertThat(events(FLEET, "RollingBack")).hasSize(1);
    assertThat(events(FLEET, "RolloutComplete")).isEmpty();

    operator.restart();

    stays(
        () -> {
          assertRolledBack();
          assertThat(status().failedTemplateHash()).isEqualTo(bad);
          assertThat(pods(2)).hasSize(3);
        });
    assertThat(events(FLEET, "RollingBack")).hasSize(1);
    assertThat(events(FLEET, "RolledBack")).hasSize(1);
  }

  /** Asked for on the fleet, or in its template. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"{%s}", "{'spec':{'template':{%s}}}"})
  void aRestartAfterARollbackIsOneOfTheTemplateThatWasRestored(String where) {
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    createReady(2, ROLLBACK);
    setImage(B);
    awaitRolledBack();
    final String bad = status().failedTemplateHash();

    patch(where.formatted("'metadata':{'annotations':{'sei.io/restart-requested-at':'now'}}"));

    eventually(() -> assertThat(podImages(0)).containsExactly(A, A));
    awaitRolledBack();
    assertThat(podImages(1)).containsExactly(A, B, A, A);
    assertThat(status().failedTemplateHash()).isEqualTo(bad);
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RollingBack")).hasSize(1);
    assertThat(condition(FleetConditionType.UP_TO_DATE).message())
        .startsWith("image sei:b was rolled back");

    setImage(C);

    awaitUpToDate(2, C);
  }

  private void awaitRolledBack() {
    eventually(
        () -> {
          assertRolledBack();
          assertThat(currentImages()).containsOnly(A);
          assertThat(status().readyReplicas()).isEqualTo(status().replicas());
          assertThat(status().reason()).isEqualTo(FleetReason.ROLLED_BACK.toString());
        });
  }

  private void assertRolledBack() {
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertThat(status().phase()).isEqualTo(FleetPhase.DEGRADED);
    assertThat(specImages()).containsOnly(A);
    assertCondition(
        FleetConditionType.ROLLOUT_IN_PROGRESS, ConditionStatus.FALSE, FleetReason.ROLLED_BACK);
    assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.FALSE, FleetReason.ROLLED_BACK);
  }

  /**
   * A node of a new template may be Ready before it has heard of its chain, and for seconds only.
   */
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
  @Tag("long")
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

  static List<String> versions() {
    return StoredStatuses.versions();
  }

  /** Completes a rollout that an earlier version began, with every node in its turn. */
  @Tag("long")
  @ParameterizedTest
  @MethodSource("versions")
  void rolloutOfAnEarlierVersionGoesOnAndNoPodIsReplacedTwice(String version) {
    createReady(2);
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    eventually(() -> assertThat(currentImages()).containsExactly(A, B));
    patch("{'spec':{'updateStrategy':{'paused':true}}}");
    eventually(() -> assertThat(status().pausedRollout()).isNotNull());
    operator.stop();
    var statuses = new StoredStatuses(client, namespace);
    statuses.exchange(version, "fleet-paused-rollout");
    patch("{'spec':{'updateStrategy':{'paused':null}}}");
    Rollout held = status().pausedRollout();

    try (var watch = new FleetWatch(client, namespace)) {
      operator.start();
      eventually(() -> assertThat(status().rollout()).isEqualTo(held));
      eventually(() -> assertThat(status().plan()).isNotNull());
      operator.stop();
      statuses.exchange(version, "fleet-rollout");
      Rollout stored = status().rollout();
      operator.start();
      kubelet.clearImage(B);

      awaitUpToDate(2, B);
      assertThat(watch.startedAt()).containsOnly(held.startedAt(), stored.startedAt());
    }
    assertThat(podImages(0)).containsExactly(A, B);
    assertThat(podImages(1)).containsExactly(A, B);
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
  }
}
