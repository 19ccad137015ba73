package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.StoredStatuses;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Completes a rollout that an earlier version began, with every node in its turn. */
class StoredRolloutTest extends FleetTestCase {

  static List<String> versions() {
    return StoredStatuses.versions();
  }

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
