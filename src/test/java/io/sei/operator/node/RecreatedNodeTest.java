package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node is made again before the garbage collector has been at what its name left behind. */
@ExclusiveControlPlane
class RecreatedNodeTest extends RolloutTestCase {

  @Tag("long")
  @Test
  void itsPlanWaitsForTheClaimOfTheEarlierNode() {
    createRunning();
    controlPlane.stopControllerManager();
    client.resource(node()).delete();
    // Without it nobody collects the StatefulSet and the pod either.
    client.apps().statefulSets().inNamespace(namespace).withName(NODE).delete();
    eventually(() -> assertThat(node()).isNull());
    create(spec(B));
    eventually(
        () ->
            assertThat(plan().currentTask().orElseThrow().reason())
                .isEqualTo("ClaimOfEarlierNode"));

    controlPlane.startControllerManager();

    awaitUpToDate(B);
    assertThat(node().getStatus().planHistory()).as("no plan failed").hasSize(1);
  }
}
