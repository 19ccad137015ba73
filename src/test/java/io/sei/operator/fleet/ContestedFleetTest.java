package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.node.GoOperator;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Go operator runs beside this one and makes the same nodes from the same template. */
class ContestedFleetTest extends FleetTestCase {

  private int writes;

  @Test
  @Tag("long")
  void nodesOfAFleetAreLeftAloneUntilTheGoOperatorStops() {
    createReady(1);
    var goOperator = new GoOperator(client, namespace, FLEET + "-0");

    // Field managers have whole seconds: what is written in that of the start counts as earlier.
    await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              goOperator.writeStatus("{'currentSidecarImage':'seictl:go-%d'}".formatted(++writes));
              eventually(Duration.ofSeconds(5), this::assertContested);
            });

    setImage(B);
    patch(node(0), "{'metadata':{'labels':{'sei.io/revision':'2'}}}");
    stays(
        () -> {
          assertThat(specImages()).containsExactly(A);
          assertThat(node(0).getMetadata().getLabels()).containsEntry("sei.io/revision", "2");
        });
    assertThat(status().rollout()).isNull();

    operator.restart();

    awaitUpToDate(1, B);
    assertThat(podImages(0)).containsExactly(A, B);
  }

  private void assertContested() {
    assertThat(nodeCondition(0, NodeConditionType.STATEFUL_SET_READY).reason())
        .isEqualTo(NodeReason.GO_OPERATOR_RUNS.toString());
    assertThat(status().conditions())
        .anyMatch(it -> StallReason.STATEFUL_SET_CONFLICT.toString().equals(it.reason()));
  }
}
