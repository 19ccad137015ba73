package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.sei.operator.testkit.controlplane.ControlPlane;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node is made again before the garbage collector has been at what its name left behind. */
class RecreatedNodeTest extends RolloutTestCase {

  private static final String NAMESPACE = "recreated";

  private static ControlPlane own;

  @BeforeAll
  static void startControlPlane() {
    own = ControlPlane.start();
    own.client()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
  }

  @AfterAll
  static void stopControlPlane() {
    own.close();
  }

  /** The controller manager all tests share is not to be stopped. */
  @BeforeEach
  void moveToOwnControlPlane() {
    operator.close();
    kubelet.close();
    sidecar.close();
    client.close();
    prepare(own, NAMESPACE);
  }

  @Test
  void itsPlanWaitsForTheClaimOfTheEarlierNode() {
    createRunning();
    own.stopControllerManager();
    client.resource(node()).delete();
    // Without it nobody collects the StatefulSet and the pod either.
    client.apps().statefulSets().inNamespace(namespace).withName(NODE).delete();
    eventually(() -> assertThat(node()).isNull());
    create(spec(B));
    eventually(
        () ->
            assertThat(plan().currentTask().orElseThrow().reason())
                .isEqualTo("ClaimOfEarlierNode"));

    own.startControllerManager();

    awaitUpToDate(B);
    assertThat(node().getStatus().planHistory()).as("no plan failed").hasSize(1);
  }
}
