package io.sei.operator.node.config;

import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PlanShape;
import io.sei.operator.node.model.SidecarWork;
import io.sei.operator.node.model.Slot;
import io.sei.operator.node.statesync.StateSync;
import io.sei.operator.plan.Aim;
import io.sei.operator.plan.Aim.Over;
import io.sei.operator.plan.Aim.Rank;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.Traits;
import io.sei.operator.progression.ConfigFiles;
import io.sei.operator.progression.ConfigHash;
import io.sei.operator.progression.SidecarTaskTypes;
import java.util.List;
import java.util.Optional;

/** Has the configuration handed over again when the spec asks for another one. */
public record Configuration() implements NodeFeature {

  private static final String WHY = "the configuration changed";

  @Override
  public List<SidecarWork> sidecarWork() {
    return List.of(
        SidecarWork.of(SidecarTaskTypes.CONFIG_APPLY, Traits.OF_SIDECAR)
            .withGuard(VolumeHistory::check),
        SidecarWork.of(SidecarTaskTypes.CONFIG_VALIDATE, Traits.OF_SIDECAR)
            .withOnCompleted(ConfigRecord::applied));
  }

  @Override
  public List<Step> steps(NodeSnapshot snapshot, PlanShape shape, Slot slot) {
    boolean validates = slot == Slot.VALIDATE && shape != PlanShape.MARK_READY;
    return slot == Slot.CONFIGURE
        ? written(snapshot, shape).stream().toList()
        : validates ? List.of(new Step(SidecarTaskTypes.CONFIG_VALIDATE, null)) : List.of();
  }

  private static Optional<Step> written(NodeSnapshot snapshot, PlanShape shape) {
    SeiNodeSpec spec = snapshot.node().getSpec();
    ConfigFiles files = StateSync.files(snapshot);
    return switch (shape) {
      case INIT, JOB -> Optional.of(ConfigApply.whole(spec, files));
      // Nothing of the state sync that filled the volume is left in them.
      case AFTER_JOB -> Optional.of(ConfigApply.whole(spec, ConfigFiles.REPLACED));
      case UPDATE, CONFIG ->
          snapshot.isConfigured() && !StateSync.hasKeptFiles(snapshot)
              ? Optional.empty()
              : Optional.of(ConfigApply.patch(spec, snapshot.status().config(), files));
      case MARK_READY -> Optional.empty();
    };
  }

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
