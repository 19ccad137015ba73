package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that is restarted alone stays part of its fleet. */
class FleetRestartTest extends FleetTestCase {

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
}
