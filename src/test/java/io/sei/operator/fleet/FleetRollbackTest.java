package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.testkit.PodFault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With {@code onStall: Rollback} a template that stalls is rolled back, once. */
class FleetRollbackTest extends FleetTestCase {

  static final InPlace ROLLBACK = new InPlace(null, null, null, 2, OnStall.ROLLBACK);

  @Test
  void goesBackToTheLastCompletedTemplateAndStaysThere() {
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    createReady(3, ROLLBACK);
    String good = status().completedTemplateHash();

    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);

      awaitRolledBack();
      assertThat(watch.statuses()).isNotEmpty().allSatisfy(FleetColumnsTest::assertColumnsAgree);
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
}
