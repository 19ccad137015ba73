package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.testkit.PodFault;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A fleet whose template asks for updates in place. */
@Order(1)
class FleetInPlaceTest extends FleetTestCase {

  private static final String POLICY =
      "{'spec':{'template':{'spec':{'updatePolicy':{'pod':'InPlaceIfPossible'}}}}}";

  @Tag("long")
  @Test
  void policyReachesEveryNodeAtOnceAndARolloutKeepsThePodsWhateverBecomesOfIt() {
    kubelet.injectForImage(C, PodFault.IMAGE_PULL);
    createReady(3);
    patch("{'spec':{'updateStrategy':{'paused':true}}}");

    patch(POLICY);

    eventually(() -> assertThat(nodes()).allMatch(node -> node.getSpec().podUpdates().isPresent()));
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    patch("{'spec':{'updateStrategy':{'paused':null}}}");

    setImage(B);

    awaitEvents("RolloutComplete", 1);
    awaitUpToDate(3, B);

    setImage(C);

    eventually(
        () ->
            assertThat(nodes())
                .filteredOn(node -> node.getStatus().stalledSince().isPresent())
                .hasSize(1));
    stays(
        () -> {
          assertThat(specImages()).containsOnlyOnce(C);
          assertThat(status().readyReplicas()).isEqualTo(3);
        });

    setImage(B);

    awaitUpToDate(3, B);
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(pods(ordinal)).hasSize(1);
    }
  }

  @Test
  void rollbackGoesBackInThePodAndTheCrashesOfTheBadImageDoNotCount() {
    kubelet.injectForImage(B, new PodFault.CrashLoop(1));
    createReady(2, new InPlace(null, null, null, 2, OnStall.ROLLBACK));
    patch(POLICY);

    setImage(B);

    awaitEvents("RolledBack", 1);
    eventually(() -> assertThat(currentImages()).containsExactly(A, A));
    assertThat(pods(0)).hasSize(1);
    assertThat(pods(1)).hasSize(1);
    eventually(() -> assertThat(nodeCondition(1, NodeConditionType.STALLED).isTrue()).isFalse());
  }
}
