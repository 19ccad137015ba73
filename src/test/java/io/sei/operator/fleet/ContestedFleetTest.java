package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.node.GoOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Go operator runs beside this one and makes the same nodes from the same template. */
class ContestedFleetTest extends FleetTestCase {

  @Test
  @Tag("long")
  void podsOfAFleetAreLeftAloneUntilTheGoOperatorStops() {
    operator.stop();
    operator.with("SEI_TAKEOVER_NAMESPACES", namespace).start();
    createReady(1);
    var goOperator = new GoOperator(client, namespace, FLEET + "-0");

    goOperator.apply(node(0), A, FLEET + "-0");
    eventually(
        () ->
            assertThat(nodeCondition(0, NodeConditionType.STATEFUL_SET_READY).reason())
                .isEqualTo(NodeReason.GO_OPERATOR_RUNS.toString()));

    setImage(B);
    stays(() -> assertThat(podImages(0)).containsExactly(A));
    assertThat(status().conditions())
        .anySatisfy(
            condition -> {
              assertThat(condition.reason())
                  .isEqualTo(StallReason.STATEFUL_SET_CONFLICT.toString());
              assertThat(condition.message())
                  .contains("a Go operator", "scale its Deployment to 0");
            });

    operator.restart();

    awaitUpToDate(1, B);
    assertThat(podImages(0)).containsExactly(A, B);
  }
}
