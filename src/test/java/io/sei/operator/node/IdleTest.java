package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes to which nothing happens cost nothing. */
class IdleTest extends RolloutTestCase {

  private static final Duration IDLE = Duration.ofSeconds(100);

  @Test
  void anotherLookAtIdleNodesWritesWhatWasAskedForAndReadsNothing() {
    createReady(3);
    awaitAnotherLook();
    operator.requests().clear();

    awaitAnotherLook();

    assertThat(operator.requests().all())
        .hasSize(3)
        .allMatch(Request::isWrite)
        .allMatch(request -> request.path().endsWith("/status"));
  }

  @Test
  @Tag("long")
  void idleNodesCostNothing() {
    createReady(20);
    awaitAnotherLook();
    // The last events are still on their way.
    eventually(() -> assertThat(readAll(SeiNode.class)).allMatch(this::hasToldOfItsPlan));
    operator.requests().clear();

    await()
        .atMost(IDLE.plusSeconds(30))
        .during(IDLE)
        .untilAsserted(() -> assertThat(operator.requests().all()).isEmpty());
  }

  private void createReady(int nodes) {
    for (int i = 0; i < nodes; i++) {
      var node = Samples.node(namespace, "idle-" + i, spec(A));
      client.resource(node).create();
    }
    eventually(
        Duration.ofMinutes(2),
        () ->
            assertThat(readAll(SeiNode.class))
                .hasSize(nodes)
                .allMatch(node -> is(node, NodeConditionType.READY))
                .allMatch(node -> is(node, NodeConditionType.UP_TO_DATE))
                .allMatch(node -> is(node, NodeConditionType.SIDECAR_READY)));
  }

  private boolean hasToldOfItsPlan(SeiNode node) {
    return !events(node.getMetadata().getName(), "PlanComplete").isEmpty();
  }

  private static boolean is(SeiNode node, NodeConditionType type) {
    return node.getStatus() != null && Conditions.isTrue(node.getStatus().conditions(), type);
  }

  /** Events tell each thing once. */
  @Test
  void nodeTellsItsLifeItsRolloutAndNoRestartOfTheOperatorOnce() {
    createRunning();
    eventually(
        () ->
            assertThat(told())
                .isEqualTo(
                    Map.of("PhaseTransition", 2, "PlanComplete", 1, "StatefulSetTracked", 1)));
    Map<String, Integer> before = told();

    operator.restart();
    stays(() -> assertThat(told()).isEqualTo(before));
    setImage(B);
    awaitUpToDate(B);

    eventually(
        () ->
            assertThat(told())
                .isEqualTo(
                    Map.of("PhaseTransition", 2, "PlanComplete", 2, "StatefulSetTracked", 1)));
  }

  private Map<String, Integer> told() {
    var counts = new TreeMap<String, Integer>();
    client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", NODE)
        .list()
        .getItems()
        .stream()
        .filter(event -> event.getInvolvedObject().getKind().equals("SeiNode"))
        .forEach((Event event) -> counts.merge(event.getReason(), event.getCount(), Integer::sum));
    return counts;
  }
}
