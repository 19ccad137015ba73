package io.sei.operator.fleet.rollout;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.fleet.disruption.Disruption;
import io.sei.operator.fleet.disruption.DisruptionSource;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetView;
import io.sei.operator.fleet.model.RolloutVerdict;
import java.util.List;

/** The rollout of a template, which goes before all else that takes down a node that is Ready. */
public record TemplateRollout() implements FleetFeature, DisruptionSource {

  @Override
  public Disruption disruption() {
    return Disruption.ROLLOUT;
  }

  @Override
  public List<FleetNode> inFlight(FleetView view) {
    Rollout rollout = view.stored().rollout();
    return rollout == null
        ? List.of()
        : RolloutPolicy.inFlight(rollout, view.fleet(), view.limits(), view.now());
  }

  /** Also between two admissions, unless a node that is down for another cause prevents them. */
  @Override
  public boolean isMakingProgress(FleetView view) {
    Rollout rollout = view.stored().rollout();
    if (rollout == null) {
      return false;
    }
    RolloutVerdict verdict = RolloutPolicy.decide(rollout, view.fleet(), view.limits(), view.now());
    return verdict.stalled().isEmpty()
        && verdict.obstacle().filter(node -> !node.switching() || node.stall() != null).isEmpty();
  }
}
