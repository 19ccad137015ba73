package io.sei.operator.node.bootstrap;

import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.plan.Aim;
import io.sei.operator.plan.Aim.Over;
import io.sei.operator.plan.Aim.Rank;
import io.sei.operator.progression.ConfigHash;
import java.util.List;

/** Has the configuration handed over again when the spec asks for another one. */
public record Configuration() implements NodeFeature {

  private static final String WHY = "the configuration changed";

  @Override
  public List<Aim> aims(NodeSnapshot snapshot, Over over) {
    TaskPlan plan = snapshot.status().plan();
    return switch (over) {
      case NONE -> withoutPlan(snapshot);
      case FOREIGN -> List.of();
      case ACTIVE ->
          isReconfigured(snapshot, plan.target().configHash()) && plan.kind() != PlanKind.MARK_READY
              ? List.of(Aim.of(Rank.CONFIGURATION, plan.kind(), WHY))
              : List.of();
      case FAILED ->
          isReconfigured(snapshot, plan.target().configHash())
              ? List.of(
                  Aim.of(
                      Rank.CONFIGURATION,
                      plan.kind() == PlanKind.CONFIG ? PlanKind.CONFIG : snapshot.podPlan(),
                      WHY))
              : List.of();
    };
  }

  private static List<Aim> withoutPlan(NodeSnapshot snapshot) {
    AppliedConfig config = snapshot.status().config();
    return config != null
            && isReconfigured(snapshot, config.hash())
            && snapshot.livePod().isPresent()
        ? List.of(Aim.of(Rank.CONFIGURATION, PlanKind.CONFIG, WHY))
        : List.of();
  }

  /** Whether the spec asks for another configuration than the one this hash stands for. */
  private static boolean isReconfigured(NodeSnapshot snapshot, String hash) {
    return ConfigHash.isKnownFormat(hash) && !hash.equals(snapshot.configHash());
  }
}
