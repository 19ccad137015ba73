package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.PodFault;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator may end at any moment of a rollout; the next one goes on where it was. */
class FleetRestartTest extends FleetTestCase {

  private static final int MOST_STARTS = 60;

  @Test
  @Tag("long")
  void aRestartInTheMiddleOfARolloutChangesNothingOfIt() {
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    createReady(3);
    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);
      eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));
      final Instant startedAt = status().rollout().startedAt();
      final String plan = status().plan().id();

      operator.restart();
      kubelet.clearImage(B);

      awaitUpToDate(3, B);
      assertThat(watch.startedAt()).containsExactly(startedAt);
      assertThat(watch.statuses())
          .allMatch(status -> status.plan() == null || status.plan().id().equals(plan));
      assertThat(watch.mostUnready()).isEqualTo(1);
    }
    assertEveryPodReplacedOnce(3);
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
  }

  /** Each process gets a few writes further than the one before and is then cut off. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void cutOffAfterEveryFewWritesItStillRollsEveryNodeOnce(int writes) {
    createReady(2);
    var left = new AtomicInteger(writes);
    operator.requests().refuse(request -> request.isWrite() && left.decrementAndGet() < 0);
    setImage(B);

    int starts = 0;
    while (!isRolled() && starts++ < MOST_STARTS) {
      eventually(() -> assertThat(left.get() < 0 || isRolled()).isTrue());
      operator.stop();
      left.set(writes);
      operator.start();
    }
    operator.requests().refuse(request -> false);
    operator.restart();

    awaitUpToDate(2, B);
    assertThat(starts).isBetween(2, MOST_STARTS);
    assertEveryPodReplacedOnce(2);
  }

  @Test
  void aNodeThatIsRestartedAloneStaysPartOfItsFleetAndOfItsRollouts() {
    createReady(2);

    patch(node(0), "{'metadata':{'annotations':{'sei.io/restart-requested-at':'once'}}}");

    eventually(() -> assertThat(podImages(0)).containsExactly(A, A));
    awaitUpToDate(2, A);
    setImage(B);
    awaitUpToDate(2, B);
    assertThat(podImages(0)).containsExactly(A, A, B);
    assertThat(podImages(1)).containsExactly(A, B);
  }

  /** The fleet's own restart is on its nodes too, and one of them is restarted after that. */
  @Test
  @Tag("long")
  void aNodeIsRestartedAloneAlsoWhereTheFleetWasRestartedBefore() {
    String restart = "{'metadata':{'annotations':{'sei.io/restart-requested-at':'%s'}}}";
    createReady(2);
    patch(restart.formatted("fleet"));
    eventually(() -> assertThat(podImages(0)).hasSize(2));
    awaitUpToDate(2, A);

    patch(node(0), restart.formatted("node"));

    eventually(() -> assertThat(podImages(0)).hasSize(3));
    awaitUpToDate(2, A);
    stays(
        () -> {
          assertThat(node(0).getMetadata().getAnnotations())
              .containsEntry("sei.io/restart-requested-at", "node");
          assertThat(podImages(0)).hasSize(3);
          assertThat(podImages(1)).hasSize(2);
          assertThat(status().updated()).isEqualTo("2/2");
        });
    assertThat(status().nodes()).extracting("reason").containsOnlyNulls();
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);

    patch(restart.formatted("fleet again"));

    eventually(() -> assertThat(podImages(1)).hasSize(3));
    eventually(() -> assertThat(podImages(0)).hasSize(4));
    awaitUpToDate(2, A);
  }

  private boolean isRolled() {
    return status().rollout() == null && currentImages().stream().allMatch(B::equals);
  }

  private void assertEveryPodReplacedOnce(int replicas) {
    for (int ordinal = 0; ordinal < replicas; ordinal++) {
      assertThat(podImages(ordinal)).containsExactly(A, B);
    }
  }
}
