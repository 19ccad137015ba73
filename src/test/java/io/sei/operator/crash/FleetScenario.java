package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.testkit.samples.Samples;

/** A fleet of two nodes, whatever is done with it. */
abstract class FleetScenario implements Scenario {

  static final String FLEET = "fleet";
  static final String FIRST = "fleet-0";
  static final String SECOND = "fleet-1";

  final World world;

  FleetScenario(World world) {
    this.world = world;
  }

  void create(String image) {
    var fleet =
        Samples.fleet(
            world.namespace(),
            FLEET,
            SeiNodeDeploymentSpecBuilder.builder()
                .replicas(2)
                .template(new NodeTemplate(null, Samples.fullNode(image)))
                // No chain is simulated here that could say that a node has caught up.
                .updateStrategy(
                    new UpdateStrategy(
                        null, new UpdateStrategy.InPlace(null, null, 0, null, null), null))
                .build());
    world.client().resource(fleet).create();
    World.eventually(() -> assertFleetOf(2, image));
  }

  void patch(String patch) {
    world.patch(SeiNodeDeployment.class, FLEET, patch);
  }

  SeiNodeDeployment fleet() {
    return world.read(SeiNodeDeployment.class, FLEET);
  }

  /**
   * Asserts that the fleet has this number of nodes, all on this image, and that no work is left.
   */
  void assertFleetOf(int nodes, String image) {
    SeiNodeDeployment fleet = fleet();
    var status = fleet.getStatus();
    assertThat(status.phase()).isEqualTo(FleetPhase.READY);
    assertThat(status.readyReplicas()).isEqualTo(nodes);
    assertThat(status.rollout()).isNull();
    assertThat(status.plan()).isNull();
    assertThat(status.observedGeneration()).isEqualTo(fleet.getMetadata().getGeneration());
    assertThat(Conditions.isTrue(status.conditions(), FleetConditionType.UP_TO_DATE)).isTrue();
    assertThat(world.readAll(SeiNode.class))
        .hasSize(nodes)
        .allSatisfy(node -> world.assertSettled(node.getMetadata().getName(), image));
  }
}
