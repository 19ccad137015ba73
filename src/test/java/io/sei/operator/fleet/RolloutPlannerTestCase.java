package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.disruption.RolloutPlanner;
import io.sei.operator.fleet.feature.RolloutDecision;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Instant;
import java.util.List;

/** Fleets in the middle of a rollout, and what is decided about them. */
public abstract class RolloutPlannerTestCase {

  public static final Instant EARLIER = NodeSample.LONG_AGO;

  /** A fleet that was brought to A, with nodes of these images and a template of that. */
  public static FleetSample fleet(String template, String... images) {
    FleetSample fleet = aFleet(images.length, template);
    for (int ordinal = 0; ordinal < images.length; ordinal++) {
      fleet = fleet.child(ordinal, images[ordinal]);
    }
    return settledOn(fleet, A);
  }

  public static FleetSample settledOn(FleetSample fleet, String image) {
    return fleet.status(status -> status.withCompletedTemplateHash(hash(image)));
  }

  /** The status while two nodes are rolled from A and the second has been admitted. */
  public SeiNodeDeploymentStatus rolling(String image) {
    SeiNodeDeploymentStatus begun = persisted(fleet(image, A, A));
    return begun.withRollout(
        new Rollout(
            hash(image),
            EARLIER,
            List.of(
                new RolloutNode("fleet-0", null, true),
                new RolloutNode("fleet-1", EARLIER, true))));
  }

  public RolloutDecision decide(FleetSample fleet) {
    return RolloutPlanner.decide(fleet.view());
  }

  public SeiNodeDeploymentStatus persisted(FleetSample fleet) {
    RolloutDecision decision = decide(fleet);
    assertThat(decision).isInstanceOf(RolloutDecision.Persist.class);
    return ((RolloutDecision.Persist) decision).status();
  }
}
