package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class IdleTest extends RolloutTestCase {

  private static final int NODES = 20;
  private static final Duration IDLE = Duration.ofSeconds(100);

  @Test
  void idleNodesCostNothing() {
    for (int i = 0; i < NODES; i++) {
      var node = new SeiNode();
      node.getMetadata().setName("idle-" + i);
      node.getMetadata().setNamespace(namespace);
      node.setSpec(spec(A));
      client.resource(node).create();
    }
    eventually(
        Duration.ofMinutes(2),
        () -> {
          List<SeiNode> nodes =
              client.resources(SeiNode.class).inNamespace(namespace).list().getItems();
          assertThat(nodes).hasSize(NODES).allMatch(node -> is(node, NodeConditionType.READY));
          assertThat(nodes).allMatch(node -> is(node, NodeConditionType.UP_TO_DATE));
        });
    // The last events are still on their way.
    eventually(
        Duration.ofMinutes(1),
        () -> {
          operator.requests().clear();
          holdsFor(Duration.ofSeconds(2), () -> assertThat(operator.requests().all()).isEmpty());
        });

    holdsFor(IDLE, () -> assertThat(operator.requests().all()).isEmpty());
  }

  private static boolean is(SeiNode node, NodeConditionType type) {
    return node.getStatus() != null
        && Conditions.isTrue(node.getStatus().conditions(), type.toString());
  }
}
