package io.sei.operator.node.config;

import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.ConfigFiles;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.Traits;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.ConfigHash;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Has the sidecar write the configuration files, and write them again when the spec asks for
 * another configuration.
 *
 * @param features each may need something in the files
 */
public record Configuration(List<NodeFeature> features) implements NodeFeature {

  private static final String WHY = "the configuration changed";

  @Override
  public List<SidecarWork> sidecarWork() {
    return List.of(
        SidecarWork.of(SidecarTaskTypes.CONFIG_APPLY, Traits.OF_SIDECAR)
            .withGuard(VolumeHistory::check),
        SidecarWork.of(SidecarTaskTypes.CONFIG_PATCH, Traits.OF_SIDECAR)
            .withRequest((params, pass) -> ConfigPatch.request(params)),
        SidecarWork.of(SidecarTaskTypes.CONFIG_VALIDATE, Traits.OF_SIDECAR)
            .withOnCompleted(ConfigRecord::applied));
  }

  /** Before the spec may change further: what it says when the node comes to us is the baseline. */
  @Override
  public Next protect(NodePass pass) {
    ConfigRecord.adopt(pass);
    return Next.goOn();
  }

  /** What is the same for every node, and what the user says, who has the last word. */
  @Override
  public void config(NodeView view, ConfigParts parts) {
    SeiNodeSpec spec = view.node().getSpec();
    ModeDefaults.of(spec).forEach(parts::set);
    Optional.ofNullable(spec.overrides()).ifPresent(parts::override);
    Optional.ofNullable(spec.configValues()).ifPresent(parts::values);
  }

  /** What all features need in the files. */
  ConfigParts parts(NodeView view, PlanShape shape) {
    var parts = new ConfigParts(shape);
    features.forEach(feature -> feature.config(view, parts));
    config(view, parts);
    return parts;
  }

  @Override
  public List<Step> steps(NodeView view, PlanShape shape, Slot slot) {
    boolean validates = slot == Slot.VALIDATE && shape != PlanShape.MARK_READY;
    return slot == Slot.CONFIGURE
        ? written(view, shape).stream().toList()
        : validates ? completed(view, shape) : List.of();
  }

  private List<Step> completed(NodeView view, PlanShape shape) {
    return Stream.concat(
            ConfigPatch.step(parts(view, shape), view.stored().config()).stream(),
            Stream.of(new Step(SidecarTaskTypes.CONFIG_VALIDATE, null)))
        .toList();
  }

  private Optional<Step> written(NodeView view, PlanShape shape) {
    SeiNodeSpec spec = view.node().getSpec();
    return switch (shape) {
      case INIT, JOB -> {
        ConfigParts parts = parts(view, shape);
        yield Optional.of(ConfigApply.whole(spec, parts, parts.files()));
      }
      // Nothing of the state sync that filled the volume is left in them.
      case AFTER_JOB ->
          Optional.of(ConfigApply.whole(spec, parts(view, shape), ConfigFiles.REPLACED));
      case UPDATE, CONFIG -> {
        ConfigParts parts = parts(view, shape);
        yield view.isConfigured() && !hasKeptFiles(view) && !parts.isAgain()
            ? Optional.empty()
            : Optional.of(ConfigApply.patch(spec, parts, view.stored().config()));
      }
      case MARK_READY -> Optional.empty();
    };
  }

  /** Whether files were kept that can be written again now. */
  private boolean hasKeptFiles(NodeView view) {
    AppliedConfig config = view.stored().config();
    return config != null
        && (config.keysLeft() != null || Boolean.TRUE.equals(config.inherited()))
        && parts(view, PlanShape.CONFIG).files() == ConfigFiles.REPLACED;
  }

  @Override
  public List<PlanTrigger> planTriggers(NodeView view, PlanConflict conflict) {
    TaskPlan plan = view.stored().plan();
    return switch (conflict) {
      case NONE -> withoutPlan(view);
      case FOREIGN -> List.of();
      case ACTIVE ->
          isReconfigured(view, plan.target().configHash()) && plan.kind() != PlanKind.MARK_READY
              ? List.of(PlanTrigger.of(Rank.CONFIGURATION, plan.kind(), WHY))
              : List.of();
      case FAILED ->
          isReconfigured(view, plan.target().configHash())
              ? List.of(
                  PlanTrigger.of(
                      Rank.CONFIGURATION,
                      plan.kind() == PlanKind.CONFIG ? PlanKind.CONFIG : view.podPlan(),
                      WHY))
              : List.of();
    };
  }

  private List<PlanTrigger> withoutPlan(NodeView view) {
    AppliedConfig config = view.stored().config();
    if (config == null || view.livePod().isEmpty()) {
      return List.of();
    }
    if (isReconfigured(view, config.hash())) {
      return List.of(PlanTrigger.of(Rank.CONFIGURATION, PlanKind.CONFIG, WHY));
    }
    return hasKeptFiles(view)
        ? List.of(
            PlanTrigger.of(
                Rank.CONFIGURATION,
                PlanKind.CONFIG,
                "the node has synced, so its configuration files can be written again"))
        : List.of();
  }

  /** Whether the spec asks for another configuration than the one this hash stands for. */
  private static boolean isReconfigured(NodeView view, String hash) {
    return ConfigHash.isKnownFormat(hash) && !hash.equals(view.configHash());
  }
}
