package io.sei.operator.fleet;

import static io.sei.operator.fleet.SnapshotBuilder.A;
import static io.sei.operator.fleet.SnapshotBuilder.hash;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.model.RolloutDecision;
import io.sei.operator.fleet.rollout.RolloutPlanner;
import java.time.Instant;
import java.util.List;

/** Fleets in the middle of a rollout, and what is decided about them. */
public abstract class RolloutPlannerTestCase {

  public static final Instant EARLIER = Fleets.LONG_AGO;

  /** A fleet that was brought to A, with nodes of these images and a template of that. */
  public static SnapshotBuilder fleet(String template, String... images) {
    var fleet = new SnapshotBuilder(images.length, template);
    for (int ordinal = 0; ordinal < images.length; ordinal++) {
      fleet.child(ordinal, images[ordinal]);
    }
    return settledOn(fleet, A);
  }

  public static SnapshotBuilder settledOn(SnapshotBuilder fleet, String image) {
    return fleet.status(it -> it.withTemplateHash(hash(image)));
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

  public RolloutDecision decide(SnapshotBuilder fleet) {
    return RolloutPlanner.decide(fleet.build());
  }

  public SeiNodeDeploymentStatus persisted(SnapshotBuilder fleet) {
    RolloutDecision decision = decide(fleet);
    assertThat(decision).isInstanceOf(RolloutDecision.Persist.class);
    return ((RolloutDecision.Persist) decision).status();
  }
}
